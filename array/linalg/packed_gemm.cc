#include "catena/array/linalg/packed_gemm.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/cpu/lane_memory.h"
#include "catena/array/cpu/lane_vector.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/array/linalg/row_tiles.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {
namespace {

constexpr int kFloats = kLanes<float>;

// The extents of a tile of C, which is accumulated in registers.
constexpr int kRows = tiles::kHasManyRegisters ? 12 : 6;
constexpr int kVectors = 2;
template <class T>
constexpr int64_t kWidth = kLanes<T>* kVectors;

// Terms of the sums that are added up in registers before they are added to C:
// those of a tile's columns of B stay in the L1 cache.
template <class T>
constexpr int64_t kDepth = 1024 / sizeof(T);
// Rows of A that are packed at a time, for the L2 cache, and columns of B, for
// the L3 cache.
constexpr int64_t kBlockRows = 192;
constexpr int64_t kBlockColumns = 2048;
static_assert(kBlockRows % kRows == 0);

// The minimum number of multiplications per thread.
constexpr int64_t kGrain = int64_t{1} << 18;

int64_t round_up(int64_t size, int64_t unit) {
  return (size + unit - 1) / unit * unit;
}

// A tile of C, what it is the product of, and what is added.
template <class T>
struct Tile {
  // Packed, kRows items for each term; otherwise rows that are lda apart.
  const T* a = nullptr;
  int64_t lda;
  // kWidth items for each term, ldb apart. What follows the last column does
  // not matter.
  const T* b = nullptr;
  int64_t ldb = kWidth<T>;
  // The next tile's B to prefetch, with terms ldb apart.
  tiles::FarItem<T> next_b = {};
  int64_t depth;
  T alpha;
  typename Product<T>::Before before = {};
  T* c = nullptr;
  int64_t ldc;
  int64_t rows = 0;
  int64_t columns;
};

// Every element is computed alike, in partial tiles, too: that is why the bits
// do not depend on how C is divided.
template <class T, int rows, bool packed_a, bool fetches_next>
HWY_NOINLINE void add_products(const Tile<T>& tile) {
  using Memory = LaneMemory<T>;
  constexpr int kFull = kLanes<T>;
  const T* a = tile.a;
  const T* b = tile.b;
  const int64_t a_row = packed_a ? 1 : tile.lda;
  const int64_t a_term = packed_a ? kRows : 1;
  const int64_t ldb = tile.ldb;
  tiles::FarItem<T> next_b = tile.next_b;
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(tile.c + i * tile.ldc, 1, 3);
  }
  Lanes<T> sums[rows][kVectors];
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sums[i][v] = Lanes<T>(0);
  }
#pragma GCC unroll 4
  for (int64_t l = 0; l < tile.depth; ++l) {
    Lanes<T> of_b[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) of_b[v] = Memory::load(b + v * kFull);
    if constexpr (fetches_next) {
      // A row that does not begin with a line extends into one more.
#pragma GCC unroll 3
      for (int64_t i = 0; i <= kWidth<T>; i += tiles::kLine<T>) {
        next_b.template prefetch<2>(i);
      }
      next_b += ldb;
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; ++i) {
      const Lanes<T> of_a(a[i * a_row]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        sums[i][v] = Lanes<T>(hn::MulAdd(of_a.v, of_b[v].v, sums[i][v].v));
      }
    }
    a += a_term;
    b += ldb;
  }
  const Lanes<T> alpha(tile.alpha);
  const Lanes<T> beta(tile.before.beta);
#pragma GCC unroll 12
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const int64_t columns = tile.columns - v * kFull;
      if (columns <= 0) break;
      Lanes<T> result = sums[i][v] * alpha;
      if (tile.before.beta != 0) {
        const T* const from =
            tile.before.first + i * tile.before.step + v * kFull;
        const Lanes<T> before =
            columns < kFull ? Memory::load_partial(from, columns, Lanes<T>(0))
                            : Memory::load(from);
        // Not left to the compiler, which might round once here and twice
        // there.
        result = Lanes<T>(hn::MulAdd(before.v, beta.v, result.v));
      }
      T* const c = tile.c + i * tile.ldc + v * kFull;
      if (columns < kFull) {
        Memory::store_partial(result, c, columns);
      } else {
        Memory::store(result, c);
      }
    }
  }
}

template <class T, bool packed_a, bool fetches_next, int rows = kRows>
void add_rows(const Tile<T>& tile) {
  if constexpr (rows > 1) {
    if (tile.rows < rows) {
      return add_rows<T, packed_a, fetches_next, rows - 1>(tile);
    }
  }
  add_products<T, rows, packed_a, fetches_next>(tile);
}

template <class T, bool packed_a>
void add_rows(const Tile<T>& tile, bool fetches_next) {
  if (fetches_next) {
    add_rows<T, packed_a, true>(tile);
  } else {
    add_rows<T, packed_a, false>(tile);
  }
}

// Each thread computes a part of C, block by block, and packs the blocks of A
// and B that it multiplies. Matrices of another type S than that of the sums,
// T, are widened as they are packed, and blocks of C narrowed when their sums
// are complete.
//
// Goto and van de Geijn, "Anatomy of high-performance matrix multiplication",
// 2008.
template <class T, class S = T>
class PackedProduct {
 public:
  PackedProduct(const GemmArgs& args, const char* a, const char* b, char* c)
      : p_(product_of<T>(args, a, b, c)),
        a_(reinterpret_cast<const S*>(a)),
        b_(reinterpret_cast<const S*>(b)),
        c_(reinterpret_cast<S*>(c)),
        a_transposed_(args.a.transposed),
        b_transposed_(args.b.transposed),
        packs_a_(kWidens || a_transposed_ ||
                 (p_.m > kFewRows && p_.n > kFewColumns)),
        packs_b_(kWidens || b_transposed_ || p_.m > kFewRows ||
                 shares_sets(p_.ldb)) {}

  void run() const {
    const Division division(p_);
    catena::cpu::parallel_for(division.by_rows * division.by_columns, 1,
                              [&](int64_t begin, int64_t end) {
                                for (int64_t i = begin; i < end; ++i)
                                  multiply(division.part(i));
                              });
  }

 private:
  static constexpr bool kWidens = !std::is_same_v<S, T>;
  // Rows of C whose sums are kept at a time, if C is not where they are added.
  static constexpr int64_t kKeptRows = 4 * kBlockRows;
  // Rows of B to prefetch while one is packed.
  static constexpr int64_t kRowsAhead = 4;
  // So few columns do not repay packing A; so few rows repay packing neither.
  static constexpr int64_t kFewColumns = 128;
  static constexpr int64_t kFewRows = 64;

  // Whether rows so far apart would displace each other in a cache.
  static bool shares_sets(int64_t ld) {
    constexpr int64_t kBytes = 1024;
    return ld * static_cast<int64_t>(sizeof(T)) % kBytes == 0;
  }

  // Rows and columns of C.
  struct Part {
    int64_t row;
    int64_t rows;
    int64_t column;
    int64_t columns;
  };

  // Where the sums of a part of C are added up: in C, or beside it.
  struct Sums {
    T* data;
    int64_t ld;
    int64_t row;
    int64_t column;
    T* at(int64_t i, int64_t j) const {
      return data + (i - row) * ld + j - column;
    }
  };

  struct Buffers {
    T* a;
    T* b;
    T* wide;  // for items of A or B before they are packed
    T* sums;
  };

  // C in at most as many parts as there are threads.
  struct Division {
    explicit Division(const Product<T>& p) : m(p.m), n(p.n) {
      const int64_t work = m * n * p.k;
      const auto threads = std::clamp<int64_t>(work / kGrain, 1,
                                               catena::cpu::parallel_threads());
      int64_t best = 0;
      for (int64_t rows = 1; rows <= threads; ++rows) {
        const int64_t columns = threads / rows;
        // What a thread multiplies and packs, if packing an item costs as much
        // as kCost multiplications.
        constexpr int64_t kCost = 16;
        const int64_t m_part = round_up((m + rows - 1) / rows, kRows);
        const int64_t n_part = round_up((n + columns - 1) / columns, kWidth<T>);
        const int64_t cost = m_part * n_part + kCost * (m_part + n_part);
        if (best == 0 || cost < best) {
          best = cost;
          by_rows = rows;
          by_columns = columns;
        }
      }
    }
    Part part(int64_t index) const {
      const Range row = range(m, by_rows, index / by_columns, kRows);
      const Range column = range(n, by_columns, index % by_columns, kWidth<T>);
      return {row.begin, row.size, column.begin, column.size};
    }

    struct Range {
      int64_t begin;
      int64_t size;
    };
    static Range range(int64_t size, int64_t parts, int64_t i, int64_t unit) {
      const int64_t units = (size + unit - 1) / unit;
      const int64_t begin = std::min(units * i / parts * unit, size);
      const int64_t end = std::min(units * (i + 1) / parts * unit, size);
      return {begin, end - begin};
    }

    int64_t m;
    int64_t n;
    int64_t by_rows = 1;
    int64_t by_columns = 1;
  };

  void multiply(const Part& part) const {
    using Buffer = catena::cpu::PoolBuffer<T>;
    if (part.rows == 0 || part.columns == 0) return;
    const int64_t depth = std::min(kDepth<T>, p_.k);
    const Buffer rows(
        packs_a_ ? round_up(std::min(kBlockRows, part.rows), kRows) * depth
                 : 0);
    const int64_t panels =
        packs_b_ ? round_up(std::min(kBlockColumns, part.columns), kWidth<T>) /
                       kWidth<T>
                 : 1;
    const Buffer columns(panels * panel_size(depth));
    const Buffer wide(
        kWidens ? std::max(kBlockColumns,
                           std::max<int64_t>(kRows, kWidth<T>) * depth)
                : 0);
    // Sums of one pass over the terms are narrowed block by block.
    const int64_t kept =
        std::min(part.rows, p_.k <= kDepth<T> ? kBlockRows : kKeptRows);
    const Buffer sums(kWidens ? kept * std::min(kBlockColumns, part.columns)
                              : 0);
    const Buffers buffers{rows.get(), columns.get(), wide.get(), sums.get()};
    const int64_t step = kWidens && p_.k > kDepth<T> ? kept : part.rows;
    for (int64_t i = part.row; i < part.row + part.rows; i += step) {
      const int64_t count = std::min(step, part.row + part.rows - i);
      const int64_t end = part.column + part.columns;
      for (int64_t j = part.column; j < end; j += kBlockColumns) {
        multiply_columns({i, count, j, std::min(kBlockColumns, end - j)},
                         buffers);
      }
    }
  }

  void multiply_columns(const Part& part, const Buffers& buffers) const {
    for (int64_t l = 0; l < p_.k; l += kDepth<T>) {
      const int64_t depth = std::min(kDepth<T>, p_.k - l);
      // At least the last tile, if it would read past the last column.
      const int64_t packed = packs_b_ ? part.columns : part.columns % kWidth<T>;
      pack_b(part.column + part.columns - packed, packed, l, depth, buffers);
      const int64_t end = part.row + part.rows;
      for (int64_t i = part.row; i < end; i += kBlockRows) {
        const Part block{i, std::min(kBlockRows, end - i), part.column,
                         part.columns};
        if (packs_a_) pack_a(block, l, depth, buffers);
        if constexpr (kWidens) {
          const Sums sums{buffers.sums, part.columns,
                          p_.k <= kDepth<T> ? i : part.row, part.column};
          if (l == 0 && p_.beta != 0) widen(block, sums);
          multiply_block(block, l, depth, buffers, sums);
          if (l + depth == p_.k) narrow(block, sums);
        } else {
          multiply_block(block, l, depth, buffers, {p_.c, p_.ldc, 0, 0});
        }
      }
    }
  }

  // C's elements to where they are added to.
  void widen(const Part& block, const Sums& sums) const {
    for (int64_t i = block.row; i < block.row + block.rows; ++i) {
      const S* const from = c_ + i * p_.ldc + block.column;
      widen_elements<S>(reinterpret_cast<const char*>(from), block.columns,
                        sums.at(i, block.column));
    }
  }
  void narrow(const Part& block, const Sums& sums) const {
    for (int64_t i = block.row; i < block.row + block.rows; ++i) {
      S* const to = c_ + i * p_.ldc + block.column;
      narrow_elements<S>(sums.at(i, block.column), block.columns,
                         reinterpret_cast<char*>(to));
    }
  }

  void multiply_block(const Part& block, int64_t l, int64_t depth,
                      const Buffers& buffers, const Sums& sums) const {
    const tiles::Parts parts(block.rows, kRows);
    for (int64_t j = 0; j < block.columns; j += kWidth<T>) {
      const int64_t column = block.column + j;
      Tile<T> tile{.lda = p_.lda,
                   .depth = depth,
                   .alpha = p_.alpha,
                   .ldc = sums.ld,
                   .columns = std::min(kWidth<T>, block.columns - j)};
      bool fetches_next = false;
      if (packs_b_) {
        tile.b = buffers.b + j / kWidth<T> * panel_size(depth);
      } else if (tile.columns < kWidth<T>) {
        tile.b = buffers.b;
      } else {
        fetches_next = true;
        tile.b = p_.b + l * p_.ldb + column;
        tile.ldb = p_.ldb;
        const bool is_last = j + kWidth<T> >= block.columns;
        tile.next_b = is_last ? tiles::FarItem<T>(
                                    p_.b, (l + depth) * p_.ldb + block.column)
                              : tiles::FarItem<T>(tile.b, kWidth<T>);
      }
      for (int64_t part = 0; part < parts.count; ++part) {
        const int64_t i = packs_a_ ? part * kRows : parts.begin(part);
        const int64_t row = block.row + i;
        tile.c = sums.at(row, column);
        if (l == 0 && p_.bias != nullptr) {
          tile.before = {p_.bias + column, 0, 1};
        } else {
          tile.before = {tile.c, sums.ld, l == 0 ? p_.beta : 1};
        }
        if (packs_a_) {
          tile.rows = std::min<int64_t>(kRows, block.rows - i);
          tile.a = buffers.a + i * depth;
          add_rows<T, true>(tile, fetches_next);
        } else {
          tile.rows = parts.begin(part + 1) - i;
          tile.a = p_.a + row * p_.lda + l;
          add_rows<T, false>(tile, fetches_next);
        }
        fetches_next = false;
      }
    }
  }

  // Columns of a tile, packed. Not a power of 2, which would map the panels to
  // the same sets of a cache.
  static int64_t panel_size(int64_t depth) {
    return depth * kWidth<T> + tiles::kLine<T>;
  }

  // n items as T: they themselves, or in `wide`.
  static const T* widened(const S* from, int64_t n, T* wide) {
    if constexpr (kWidens) {
      widen_elements<S>(reinterpret_cast<const char*>(from), n, wide);
      return wide;
    } else {
      return from;
    }
  }
  // The same for `rows` rows of n items that are ld apart, which changes to
  // that of the result.
  static const T* widened(const S* from, int64_t rows, int64_t n, int64_t& ld,
                          T* wide) {
    if constexpr (kWidens) {
      for (int64_t i = 0; i < rows; ++i)
        widened(from + i * ld, n, wide + i * n);
      ld = n;
      return wide;
    } else {
      return from;
    }
  }

  // Tile after tile, term after term.
  void pack_a(const Part& block, int64_t l, int64_t depth,
              const Buffers& buffers) const {
    T* const to = buffers.a;
    if (a_transposed_) {
      for (int64_t term = 0; term < depth; ++term) {
        const T* const from = widened(a_ + (l + term) * p_.lda + block.row,
                                      block.rows, buffers.wide);
        int64_t i = 0;
        T* item = to + term * kRows;
        for (; i + kRows <= block.rows; i += kRows) {
          std::memcpy(item, from + i, kRows * sizeof(T));
          item += kRows * depth;
        }
        for (int64_t row = i; row < block.rows; ++row) *item++ = from[row];
      }
      return;
    }
    for (int64_t i = 0; i < block.rows; i += kRows) {
      const int64_t rows = std::min<int64_t>(kRows, block.rows - i);
      int64_t lda = p_.lda;
      const T* const from = widened(a_ + (block.row + i) * p_.lda + l, rows,
                                    depth, lda, buffers.wide);
      if (rows == kRows) {
        interleave(from, lda, depth, to + i * depth);
      } else {
        for (int64_t row = 0; row < rows; ++row) {
          for (int64_t term = 0; term < depth; ++term) {
            to[i * depth + term * kRows + row] = from[row * lda + term];
          }
        }
      }
    }
  }

  // Packs kRows whole rows, in pairs.
  static void interleave(const T* from, int64_t lda, int64_t depth, T* to) {
    int64_t term = 0;
#if HWY_TARGET != HWY_SCALAR
    constexpr int64_t kTerms = 16 / sizeof(T);
    const hn::FixedTag<T, kTerms> d;
    const hn::FixedTag<T, 2> pair;
    for (; term + kTerms <= depth; term += kTerms) {
#pragma GCC unroll 6
      for (int i = 0; i < kRows; i += 2) {
        const auto first = hn::LoadU(d, from + i * lda + term);
        const auto second = hn::LoadU(d, from + (i + 1) * lda + term);
        const auto lower = hn::InterleaveLower(d, first, second);
        const auto upper = hn::InterleaveUpper(d, first, second);
        T* const items = to + i;
        if constexpr (kTerms == 2) {
          hn::StoreU(lower, d, items);
          hn::StoreU(upper, d, items + kRows);
        } else {
          hn::StoreU(hn::LowerHalf(pair, lower), pair, items);
          hn::StoreU(hn::UpperHalf(pair, lower), pair, items + kRows);
          hn::StoreU(hn::LowerHalf(pair, upper), pair, items + 2 * kRows);
          hn::StoreU(hn::UpperHalf(pair, upper), pair, items + 3 * kRows);
        }
      }
      to += kTerms * kRows;
    }
#endif
    for (; term < depth; ++term) {
      for (int i = 0; i < kRows; ++i) *to++ = from[i * lda + term];
    }
  }

  // Panels of a tile's columns, term after term.
  void pack_b(int64_t column, int64_t columns, int64_t l, int64_t depth,
              const Buffers& buffers) const {
    if (b_transposed_) {
      for (int64_t j = 0; j < columns; j += kWidth<T>) {
        const int64_t rows = std::min(kWidth<T>, columns - j);
        int64_t ldb = p_.ldb;
        const T* const from = widened(b_ + (column + j) * p_.ldb + l, rows,
                                      depth, ldb, buffers.wide);
        tiles::transpose(buffers.b + j / kWidth<T> * panel_size(depth),
                         kWidth<T>, from, ldb, rows, depth);
      }
      return;
    }
    for (int64_t term = 0; term < depth; ++term) {
      const S* const row = b_ + (l + term) * p_.ldb + column;
      const T* from = widened(row, columns, buffers.wide);
      T* item = buffers.b + term * kWidth<T>;
      int64_t rest = columns;
      for (; rest >= kWidth<T>; rest -= kWidth<T>) {
        tiles::FarItem<S>(row + (columns - rest), kRowsAhead * p_.ldb)
            .template prefetch<1>();
        std::memcpy(item, from, kWidth<T> * sizeof(T));
        from += kWidth<T>;
        item += panel_size(depth);
      }
      std::copy_n(from, rest, item);
    }
  }

  Product<T> p_;  // without its addresses, if they are of another type
  const S* a_;
  const S* b_;
  S* c_;
  bool a_transposed_;
  bool b_transposed_;
  bool packs_a_;
  bool packs_b_;
};

template <class T, class S = T>
void run(const GemmArgs& args, const char* a, const char* b, char* c) {
  PackedProduct<T, S>(args, a, b, c).run();
}

}  // namespace

template <>
constinit const PackedGemm Kernels<PackedGemm>::table = {
    kFloats > 1 ? run<float> : nullptr, kFloats > 1 ? run<double> : nullptr,
    kFloats > 1 ? run<float, float16> : nullptr,
    kFloats > 1 ? run<float, bfloat16> : nullptr};

}  // namespace catena::kernels::CATENA_BACKEND
