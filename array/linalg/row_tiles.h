#pragma once

// Single-threaded float32 matrix products that accumulate tiles of the result
// in registers. The second matrix is not packed: these are for matrices too
// small to repay packing, or limited by memory bandwidth. Compiled once per
// instruction set, in its namespace.

#include <algorithm>
#include <cstdint>

#include "catena/array/core/strided_copy.h"
#include "catena/array/cpu/lane_memory.h"
#include "catena/array/cpu/lane_vector.h"
#include "catena/array/linalg/gemm.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

// C = alpha A B + beta C, where A is (m, k) and C (m, n). Rows are lda, ldb and
// ldc items apart. With beta 0, C is not read. A bias, n items, is added to
// every row in place of beta C.
template <class T>
struct Product {
  int64_t m;
  int64_t n;
  int64_t k;
  const T* a;
  int64_t lda;
  const T* b;
  int64_t ldb;
  T* c;
  int64_t ldc;
  T alpha = 1;
  T beta = 0;
  const T* bias = nullptr;

  // What is added, times `beta`, to row i of C from column j on; its rows are
  // `step` items apart.
  struct Before {
    const T* first;
    int64_t step;
    T beta;
  };
  // For the sums' terms from `term` on: those before it are in C.
  Before before(int64_t i, int64_t j, int64_t term = 0) const {
    if (term > 0) return {c + i * ldc + j, ldc, 1};
    if (bias != nullptr) return {bias + j, 0, 1};
    return {c + i * ldc + j, ldc, beta};
  }
};

// One product as described by `args`, with matrices at these addresses.
template <class T>
Product<T> product_of(const array::GemmArgs& args, const char* a, const char* b,
                      char* c) {
  return {args.m,
          args.n,
          args.k,
          reinterpret_cast<const T*>(a),
          args.a.ld,
          reinterpret_cast<const T*>(b),
          args.b.ld,
          reinterpret_cast<T*>(c),
          args.c.ld,
          static_cast<T>(args.alpha),
          static_cast<T>(args.beta),
          reinterpret_cast<const T*>(args.bias)};
}

namespace tiles {

using Memory = LaneMemory<float>;
inline constexpr int kFull = kLanes<float>;
// Half a register takes half the time only for registers of 16 lanes.
inline constexpr bool kHasHalves = kFull == 16;
using Half = hn::CappedTag<float, kHasHalves ? 8 : kFull>;
inline constexpr int kUnit = kHasHalves ? 8 : kFull;
// AVX-512 has 32 registers, the other instruction sets 16.
inline constexpr bool kHasManyRegisters = kFull == 16;
// Items in a cache line.
template <class T>
inline constexpr int64_t kLine = 64 / sizeof(T);

// For an x with all lanes equal.
template <class H>
HWY_INLINE hn::Vec<H> lower_half(H half, Lanes<float> x) {
  if constexpr (kHasHalves) {
    return hn::LowerHalf(half, x.v);
  } else {
    return x.v;
  }
}

// Writes the transpose of the (rows, columns) matrix `from` to `to`; rows are
// `to_step` and `from_step` floats apart.
template <class T>
void transpose(T* to, int64_t to_step, const T* from, int64_t from_step,
               int64_t rows, int64_t columns) {
  constexpr int64_t kItem = sizeof(T);
  cpu::transpose_items(kItem, reinterpret_cast<char*>(to), to_step * kItem,
                       reinterpret_cast<const char*>(from), from_step * kItem,
                       rows, columns);
}

// The fewest parts of at most `max` items each, of about equal size.
struct Parts {
  Parts(int64_t size, int64_t max)
      : size(size), count((size + max - 1) / max) {}
  int64_t begin(int64_t part) const { return size * part / count; }
  int64_t size;
  int64_t count;
};

// An item to prefetch, which may be past the end of a matrix, where a pointer
// could not point.
template <class T>
class FarItem {
 public:
  FarItem() = default;
  FarItem(const T* from, int64_t offset)
      : address_(reinterpret_cast<uintptr_t>(from)) {
    *this += offset;
  }

  FarItem& operator+=(int64_t items) {
    address_ += static_cast<uintptr_t>(items) * sizeof(T);
    return *this;
  }

  // Into cache `level`.
  template <int level>
  HWY_INLINE void prefetch(int64_t offset = 0) const {
    __builtin_prefetch(
        reinterpret_cast<const void*>(
            address_ + static_cast<uintptr_t>(offset) * sizeof(T)),
        0, 4 - level);
  }

 private:
  uintptr_t address_ = 0;
};

// Cache lines to prefetch, in rows of `lines`. A few per step of the sums,
// since prefetching all at once would stall them.
class Ahead {
 public:
  // The first row begins `offset` floats after `from`.
  Ahead(const float* from, int64_t offset, int64_t stride, int64_t lines,
        int per_step)
      : row_(from, offset),
        stride_(stride),
        lines_(lines),
        per_step_(per_step) {}

  HWY_INLINE void step() {
    for (int i = 0; i < per_step_; ++i) {
      row_.prefetch<2>(at_ * kLine<float>);
      if (++at_ == lines_) {
        at_ = 0;
        row_ += stride_;
      }
    }
  }

 private:
  FarItem<float> row_;
  int64_t stride_;
  int64_t lines_;
  int64_t at_ = 0;
  int per_step_;
};

}  // namespace tiles

// For B as (k, n): lanes hold columns of C.
//
// A tile of kRows rows by kVectors registers is accumulated over kDepth rows of
// B, broadcasting the elements of A one by one.
class PlainTiles {
 public:
  explicit PlainTiles(const Product<float>& product) : p_(product) {}

  // Computes the columns [begin, end) of C. If `is_far`, B is in memory and is
  // prefetched.
  void run(int64_t begin, int64_t end, bool is_far) const {
    const tiles::Parts rows(p_.m, kRows);
    const int per_step = !is_far                  ? 0
                         : rows.count >= kVectors ? 1
                         : rows.count == 1        ? kVectors
                                                  : 2;
    const int64_t lines = (end - begin) / tiles::kLine<float> + 1;
    for (int64_t k = 0; k < p_.k; k += kDepth) {
      const int64_t depth = std::min(kDepth, p_.k - k);
      const float* const from = p_.b + k * p_.ldb;
      // Prefetch the next rows of B, in memory order, or, if these are too
      // many, the next columns.
      const bool is_narrow = kDepth * (end - begin) <= kCached;
      tiles::Ahead rows_ahead(from, kDepth * p_.ldb + begin, p_.ldb, lines,
                              k + depth < p_.k ? per_step : 0);
      for (int64_t j = begin; j < end; j += kWidth) {
        tiles::Ahead columns_ahead(from, j + kWidth, p_.ldb,
                                   kWidth / tiles::kLine<float> + 1, per_step);
        tiles::Ahead& ahead =
            is_narrow && depth < p_.k ? rows_ahead : columns_ahead;
        for (int64_t part = 0; part < rows.count; ++part) {
          const int64_t i = rows.begin(part);
          const Tile tile{p_.a + i * p_.lda + k,     from + j,
                          p_.c + i * p_.ldc + j,     depth,
                          std::min(kWidth, end - j), p_.before(i, j, k)};
          by_rows<kRows>(rows.begin(part + 1) - i, tile, ahead);
        }
      }
    }
  }

 private:
  static constexpr int kRows = 6;
  static constexpr int kVectors = tiles::kHasManyRegisters ? 4 : 2;
  static constexpr int64_t kWidth = kVectors * tiles::kFull;
  static constexpr int64_t kDepth = 256;
  // Elements of B that fit the L2 cache in addition to those in use.
  static constexpr int64_t kCached = int64_t{1} << 17;

  struct Tile {
    const float* a;
    const float* b;
    float* c;
    int64_t depth;
    int64_t columns;
    Product<float>::Before before;
  };

  template <int rows>
  void by_rows(int64_t count, const Tile& tile, tiles::Ahead& ahead) const {
    if constexpr (rows > 1) {
      if (count < rows) return by_rows<rows - 1>(count, tile, ahead);
    }
    if (tile.columns == kWidth) return sum<rows, kVectors, false>(tile, ahead);
    by_vectors<rows, kVectors>(tile, ahead);
  }

  template <int rows, int vectors>
  void by_vectors(const Tile& tile, tiles::Ahead& ahead) const {
    if constexpr (vectors > 1) {
      if (tile.columns <= (vectors - 1) * tiles::kFull) {
        return by_vectors<rows, vectors - 1>(tile, ahead);
      }
    }
    sum<rows, vectors, true>(tile, ahead);
  }

  // With is_partial, the last register extends past the last column.
  template <int rows, int vectors, bool is_partial>
  HWY_NOINLINE void sum(const Tile& tile, tiles::Ahead& ahead_of_all) const {
    using tiles::kFull;
    using tiles::Memory;
    const int64_t rest = tile.columns - (vectors - 1) * kFull;
    const int64_t lda = p_.lda;
    const int64_t ldb = p_.ldb;
    tiles::Ahead ahead = ahead_of_all;
    Lanes<float> sums[rows][vectors];
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[i][v] = Lanes<float>(0);
    }
    const float* a = tile.a;
    const float* b = tile.b;
    for (const float* const end = a + tile.depth; a < end; ++a, b += ldb) {
      Lanes<float> of_b[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        of_b[v] =
            is_partial && v == vectors - 1
                ? Memory::load_partial(b + v * kFull, rest, Lanes<float>(0))
                : Memory::load(b + v * kFull);
      }
      ahead.step();
#pragma GCC unroll 6
      for (int i = 0; i < rows; ++i) {
        const Lanes<float> of_a(a[i * lda]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) {
          sums[i][v] =
              Lanes<float>(hn::MulAdd(of_a.v, of_b[v].v, sums[i][v].v));
        }
      }
    }
    ahead_of_all = ahead;
    const Lanes<float> alpha(p_.alpha);
    const Product<float>::Before before = tile.before;
    const Lanes<float> beta(before.beta);
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        float* const c = tile.c + i * p_.ldc + v * kFull;
        const bool is_some = is_partial && v == vectors - 1;
        Lanes<float> result = sums[i][v] * alpha;
        if (before.beta != 0) {
          const float* const from = before.first + i * before.step + v * kFull;
          result += (is_some ? Memory::load_partial(from, rest, Lanes<float>(0))
                             : Memory::load(from)) *
                    beta;
        }
        if (is_some) {
          Memory::store_partial(result, c, rest);
        } else {
          Memory::store(result, c);
        }
      }
    }
  }

  Product<float> p_;
};

// For B as (n, k), that is, transposed: lanes hold rows of C, and A is packed
// in that order.
//
// A tile is kColumns columns of C by up to kUnits units of rows.
class TransposedTiles {
 public:
  // Rows of B per tile; if n is not a multiple, some are computed needlessly.
  static constexpr int kColumns = tiles::kHasManyRegisters ? 8 : 4;
  // Rows of A per unit; missing ones are padded with zeros.
  static constexpr int kRows = tiles::kUnit;

  // `m` rows of A and C.
  explicit TransposedTiles(int64_t m)
      : m_(m), units_((m + tiles::kUnit - 1) / tiles::kUnit, kUnits) {}

  // The number of rows including the padding of the last register.
  int64_t width() const { return units_.size * tiles::kUnit; }

  // Packs `depth` columns of A, whose rows are lda apart, in the order of the
  // sums: width() * depth floats. Each part of the rows is stored column by
  // column, padded with zeros after the last row.
  void transpose(const float* a, int64_t lda, int64_t depth, float* to) const {
    for (int64_t part = 0; part < units_.count; ++part) {
      const int64_t begin = units_.begin(part) * tiles::kUnit;
      const int64_t width = units_.begin(part + 1) * tiles::kUnit - begin;
      const int64_t rows = std::min(width, m_ - begin);
      if (rows < width) std::fill_n(to, width * depth, 0.0f);
      tiles::transpose(to, width, a + begin * lda, lda, rows, depth);
      to += width * depth;
    }
  }

  // Computes the columns [begin, end) of C. product.a is that of transpose();
  // lda is not used.
  void run(const Product<float>& product, int64_t begin, int64_t end) const {
    each_tile<false>(product, begin, end);
  }

  // Adds the product to the transpose of C, (n, width()) with rows ldc apart.
  void add_transposed(const Product<float>& product) const {
    each_tile<true>(product, 0, product.n);
  }

 private:
  static constexpr int kUnits = tiles::kHasHalves ? 6 : 3;

  struct Tile {
    const float* lanes;
    const float* b;
    float* c;
    int64_t rows;
    int64_t columns;
    Product<float>::Before before;
  };

  template <bool is_transposed>
  void each_tile(const Product<float>& p, int64_t begin, int64_t end) const {
    for (int64_t j = begin; j < end; j += kColumns) {
      for (int64_t part = 0; part < units_.count; ++part) {
        const int64_t first = units_.begin(part) * tiles::kUnit;
        const int64_t units = units_.begin(part + 1) - units_.begin(part);
        const Tile tile{
            p.a + first * p.k,
            p.b + j * p.ldb,
            is_transposed ? p.c + j * p.ldc + first : p.c + first * p.ldc + j,
            std::min(units * tiles::kUnit, m_ - first),
            std::min<int64_t>(kColumns, end - j),
            p.before(first, j)};
        by_units<kUnits, is_transposed>(units, p, tile);
      }
    }
  }

  template <int units, bool is_transposed>
  void by_units(int64_t count, const Product<float>& p,
                const Tile& tile) const {
    if constexpr (units > 1) {
      if (count < units)
        return by_units<units - 1, is_transposed>(count, p, tile);
    }
    if (tile.columns <= kColumns / 2) {
      sum<units, kColumns / 2, is_transposed>(p, tile);
    } else {
      sum<units, kColumns, is_transposed>(p, tile);
    }
  }

  template <int units, int columns, bool is_transposed>
  HWY_NOINLINE void sum(const Product<float>& p, const Tile& tile) const {
    using tiles::Half;
    using tiles::kFull;
    using tiles::kHasHalves;
    using tiles::Memory;
    constexpr int64_t kLine = tiles::kLine<float>;
    constexpr int kWhole = kHasHalves ? units / 2 : units;
    constexpr bool kHasHalf = kHasHalves && units % 2 == 1;
    constexpr int kWidth = units * tiles::kUnit;
    const Half half;
    const int64_t ldb = p.ldb;
    Lanes<float> sums[columns][kWhole + 1];
    hn::Vec<Half> halves[columns];
    const float* b[columns];
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
#pragma GCC unroll 3
      for (int v = 0; v < kWhole; ++v) sums[j][v] = Lanes<float>(0);
      halves[j] = hn::Zero(half);
      // Past the last column, repeat the last one.
      b[j] = tile.b + std::min<int64_t>(j, tile.columns - 1) * ldb;
    }
    const float* a = tile.lanes;
    const auto step = [&](int64_t k) HWY_ATTR {
      Lanes<float> of_a[kWhole + 1];
#pragma GCC unroll 3
      for (int v = 0; v < kWhole; ++v) of_a[v] = Memory::load(a + v * kFull);
      hn::Vec<Half> rest = hn::Zero(half);
      if constexpr (kHasHalf) rest = hn::LoadU(half, a + kWhole * kFull);
      a += kWidth;
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) {
        if constexpr (kWhole == 0) {
          halves[j] = hn::MulAdd(rest, hn::Set(half, b[j][k]), halves[j]);
          continue;
        }
        const Lanes<float> of_b(b[j][k]);
#pragma GCC unroll 3
        for (int v = 0; v < kWhole; ++v) {
          sums[j][v] =
              Lanes<float>(hn::MulAdd(of_a[v].v, of_b.v, sums[j][v].v));
        }
        if constexpr (kHasHalf) {
          halves[j] =
              hn::MulAdd(rest, tiles::lower_half(half, of_b), halves[j]);
        }
      }
    };
    // One cache line of each column at a time, prefetching those of the next
    // columns.
    for (int64_t k = 0; k < p.k; k += kLine) {
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) {
        tiles::FarItem<float>(b[j] + k, columns * ldb).prefetch<1>();
      }
      const int64_t end = std::min(k + kLine, p.k);
      for (int64_t l = k; l < end; ++l) step(l);
    }
    if constexpr (is_transposed) {
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) {
        if (j >= tile.columns) break;
        float* const c = tile.c + j * p.ldc;
#pragma GCC unroll 3
        for (int v = 0; v < kWhole; ++v) {
          Memory::store(Memory::load(c + v * kFull) + sums[j][v],
                        c + v * kFull);
        }
        if constexpr (kHasHalf) {
          float* const last = c + kWhole * kFull;
          hn::StoreU(hn::Add(hn::LoadU(half, last), halves[j]), half, last);
        }
      }
      return;
    }
    alignas(64) float results[columns][kWidth];
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
#pragma GCC unroll 3
      for (int v = 0; v < kWhole; ++v) {
        Memory::store(sums[j][v], results[j] + v * kFull);
      }
      if constexpr (kHasHalf) {
        hn::StoreU(halves[j], half, results[j] + kWhole * kFull);
      }
    }
    store(&results[0][0], kWidth, p, tile);
  }

  // Stores the tile, which is column-major.
  HWY_NOINLINE static void store(const float* results, int64_t width,
                                 const Product<float>& p, const Tile& tile) {
    for (int64_t i = 0; i < tile.rows; ++i) {
      float* const c = tile.c + i * p.ldc;
      const float* const before = tile.before.first + i * tile.before.step;
      for (int64_t j = 0; j < tile.columns; ++j) {
        const float sum = p.alpha * results[j * width + i];
        c[j] = tile.before.beta == 0 ? sum : sum + tile.before.beta * before[j];
      }
    }
  }

  int64_t m_;
  tiles::Parts units_;
};

}  // namespace catena::kernels::CATENA_BACKEND
