#include "catena/array/linalg/few_rows.h"

#include <algorithm>
#include <cstdint>

#include "catena/array/cpu/lane_memory.h"
#include "catena/array/cpu/lane_vector.h"
#include "catena/array/cpu/memory_pool.h"
#include "catena/array/cpu/parallel.h"
#include "catena/array/cpu/strided_copy.h"
#include "hwy/highway.h"

namespace catena::array::CATENA_BACKEND {
namespace {

using Memory = LaneMemory<float>;
using Full = Tag<float>;
constexpr int kFull = kLanes<float>;
// Half a register of 16 lanes takes half the time; of shorter ones it does not.
constexpr bool kHasHalves = kFull == 16;
using Half = hn::CappedTag<float, kHasHalves ? 8 : kFull>;
constexpr int kUnit = kHasHalves ? 8 : kFull;
// AVX-512 has 32 registers, the other instruction sets 16.
constexpr bool kHasManyRegisters = kFull == 16;

// Multiplications that are worth a thread.
constexpr int64_t kGrain = int64_t{1} << 18;
// Bytes in a cache line, in floats.
constexpr int64_t kLine = 16;

// Of an x that is in all lanes.
template <class H>
HWY_INLINE hn::Vec<H> lower_half(H half, Lanes<float> x) {
  if constexpr (kHasHalves) {
    return hn::LowerHalf(half, x.v);
  } else {
    return x.v;
  }
}

// How a product becomes the result.
struct Scale {
  float alpha;
  float beta;
};

HWY_INLINE Lanes<float> scaled(Lanes<float> sum, Scale scale) {
  return scale.alpha == 1 ? sum : sum * Lanes<float>(scale.alpha);
}

// As few parts as are needed for at most `most` each, in equal sizes.
struct Parts {
  Parts(int64_t size, int64_t most)
      : size(size), count((size + most - 1) / most) {}
  int64_t begin(int64_t part) const { return size * part / count; }
  int64_t size;
  int64_t count;
};

// Lines of memory to be asked for before they are read: rows of `lines` each.
// A little with every step of the sums, since all at once would keep these
// waiting.
class Ahead {
 public:
  // The first begins `offset` floats after `from`.
  Ahead(const float* from, int64_t offset, int64_t stride, int64_t lines,
        int per_step)
      : row_(reinterpret_cast<uintptr_t>(from) +
             static_cast<uintptr_t>(offset) * sizeof(float)),
        stride_(static_cast<uintptr_t>(stride) * sizeof(float)),
        lines_(lines),
        per_step_(per_step) {}

  HWY_INLINE void step() {
    for (int i = 0; i < per_step_; ++i) {
      __builtin_prefetch(
          reinterpret_cast<const void*>(row_ + at_ * kLine * sizeof(float)), 0,
          2);
      if (++at_ == lines_) {
        at_ = 0;
        row_ += stride_;
      }
    }
  }

 private:
  // Numbers, since what is asked for may lie behind the end of the matrix.
  uintptr_t row_;
  uintptr_t stride_;
  int64_t lines_;
  int64_t at_ = 0;
  int per_step_;
};

// The rows of B lie in memory as they are summed up: columns of C in lanes.
//
// Of C a tile of kRows rows and kVectors registers is summed up over kDepth
// rows of B, the rows of A one element after the other.
class Plain {
 public:
  static constexpr int kRows = 6;
  static constexpr int kVectors = kHasManyRegisters ? 4 : 2;
  static constexpr int64_t kDepth = 256;
  // Elements of B that the second-level cache keeps beside those in use.
  static constexpr int64_t kCached = int64_t{1} << 17;

  Plain(const GemmArgs& args, const char* a, const char* b, char* c)
      : args_(args),
        a_(reinterpret_cast<const float*>(a)),
        b_(reinterpret_cast<const float*>(b)),
        c_(reinterpret_cast<float*>(c)) {}

  void run() const {
    const int64_t vectors = (args_.n + kFull - 1) / kFull;
    const int64_t work = args_.m * args_.k * kFull;
    catena::cpu::parallel_for(
        vectors, std::max<int64_t>(1, kGrain / work),
        [this](int64_t begin, int64_t end) {
          columns(begin * kFull, std::min(args_.n, end * kFull));
        },
        /*align=*/kLine / std::min<int64_t>(kLine, kFull));
  }

 private:
  struct Tile {
    const float* a;
    const float* b;
    float* c;
    int64_t depth;
    int64_t columns;
    Scale scale;
  };

  void columns(int64_t begin, int64_t end) const {
    const Parts rows(args_.m, kRows);
    const int per_step = rows.count >= kVectors ? 1
                         : rows.count == 1      ? kVectors
                                                : 2;
    const int64_t lines = (end - begin) / kLine + 1;
    for (int64_t k = 0; k < args_.k; k += kDepth) {
      const int64_t depth = std::min(kDepth, args_.k - k);
      const float* const from = b_ + k * args_.b.ld;
      const Scale scale{static_cast<float>(args_.alpha),
                        k == 0 ? static_cast<float>(args_.beta) : 1.0f};
      // The next rows of B, in the order of memory; or, where these are too
      // many, the next columns.
      const bool is_narrow = kDepth * (end - begin) <= kCached;
      Ahead rows_ahead(from, kDepth * args_.b.ld + begin, args_.b.ld, lines,
                       k + depth < args_.k ? per_step : 0);
      for (int64_t j = begin; j < end; j += kVectors * kFull) {
        Ahead columns_ahead(from, j + kVectors * kFull, args_.b.ld,
                            kVectors * kFull / kLine + 1, per_step);
        Ahead& ahead =
            is_narrow && depth < args_.k ? rows_ahead : columns_ahead;
        Tile tile{a_ + k,
                  from + j,
                  c_ + j,
                  depth,
                  std::min<int64_t>(kVectors * kFull, end - j),
                  scale};
        for (int64_t part = 0; part < rows.count; ++part) {
          const int64_t i = rows.begin(part);
          Tile own = tile;
          own.a += i * args_.a.ld;
          own.c += i * args_.c.ld;
          by_rows<kRows>(rows.begin(part + 1) - i, own, ahead);
        }
      }
    }
  }

  template <int rows>
  void by_rows(int64_t count, const Tile& tile, Ahead& ahead) const {
    if constexpr (rows > 1) {
      if (count < rows) return by_rows<rows - 1>(count, tile, ahead);
    }
    if (tile.columns == kVectors * kFull) {
      return sum<rows, kVectors, false>(tile, ahead);
    }
    by_vectors<rows, kVectors>(tile, ahead);
  }

  template <int rows, int vectors>
  void by_vectors(const Tile& tile, Ahead& ahead) const {
    if constexpr (vectors > 1) {
      if (tile.columns <= (vectors - 1) * kFull) {
        return by_vectors<rows, vectors - 1>(tile, ahead);
      }
    }
    sum<rows, vectors, true>(tile, ahead);
  }

  // With is_partial, the last register has lanes behind the last column.
  template <int rows, int vectors, bool is_partial>
  HWY_NOINLINE void sum(const Tile& tile, Ahead& ahead_of_all) const {
    const int64_t rest = tile.columns - (vectors - 1) * kFull;
    const int64_t lda = args_.a.ld;
    const int64_t ldb = args_.b.ld;
    const int64_t ldc = args_.c.ld;
    Ahead ahead = ahead_of_all;
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
        of_b[v] = is_partial && v == vectors - 1
                      ? Memory::load_some(b + v * kFull, rest, Lanes<float>(0))
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
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        float* const c = tile.c + i * ldc + v * kFull;
        const bool is_some = is_partial && v == vectors - 1;
        Lanes<float> result = scaled(sums[i][v], tile.scale);
        if (tile.scale.beta != 0) {
          const Lanes<float> before =
              is_some ? Memory::load_some(c, rest, Lanes<float>(0))
                      : Memory::load(c);
          result += before * Lanes<float>(tile.scale.beta);
        }
        if (is_some) {
          Memory::store_some(result, c, rest);
        } else {
          Memory::store(result, c);
        }
      }
    }
  }

  const GemmArgs& args_;
  const float* a_;
  const float* b_;
  float* c_;
};

// The columns of B lie in memory as they are summed up: rows of C in lanes,
// with the few numbers of A brought into that order.
//
// A tile is kColumns columns of C by up to kUnits units of rows.
class Turned {
 public:
  static constexpr int kColumns = kHasManyRegisters ? 8 : 4;
  static constexpr int kUnits = kHasHalves ? 6 : 3;
  // So that the second-level cache keeps A.
  static constexpr int64_t kDepth = 1024;

  Turned(const GemmArgs& args, const char* a, const char* b, char* c)
      : args_(args),
        a_(reinterpret_cast<const float*>(a)),
        b_(reinterpret_cast<const float*>(b)),
        c_(reinterpret_cast<float*>(c)),
        units_((args.m + kUnit - 1) / kUnit, kUnits) {}

  void run() const {
    const int64_t depth = std::min(kDepth, args_.k);
    const catena::cpu::PoolBuffer<float> lanes(units_.size * kUnit * depth);
    for (int64_t k = 0; k < args_.k; k += kDepth) {
      const int64_t count = std::min(kDepth, args_.k - k);
      turn(k, count, lanes.get());
      const int64_t work = args_.m * count;
      catena::cpu::parallel_for(
          args_.n, std::max<int64_t>(1, kGrain / work),
          [&](int64_t begin, int64_t end) {
            columns(k, count, lanes.get(), begin, end);
          },
          /*align=*/kColumns);
    }
  }

 private:
  struct Tile {
    const float* lanes;
    const float* b;
    float* c;
    int64_t depth;
    int64_t rows;
    int64_t columns;
    Scale scale;
  };

  // For each part of the rows, their elements of one column of A after the
  // other; 0 behind the last row.
  void turn(int64_t first, int64_t depth, float* to) const {
    for (int64_t part = 0; part < units_.count; ++part) {
      const int64_t begin = units_.begin(part) * kUnit;
      const int64_t width = units_.begin(part + 1) * kUnit - begin;
      const int64_t rows = std::min(width, args_.m - begin);
      const float* const from = a_ + begin * args_.a.ld + first;
      if (rows < width) std::fill_n(to, width * depth, 0.0f);
      cpu::transpose_items(sizeof(float), reinterpret_cast<char*>(to),
                           width * int64_t{sizeof(float)},
                           reinterpret_cast<const char*>(from),
                           args_.a.ld * int64_t{sizeof(float)}, rows, depth);
      to += width * depth;
    }
  }

  void columns(int64_t k, int64_t depth, const float* lanes, int64_t begin,
               int64_t end) const {
    const Scale scale{static_cast<float>(args_.alpha),
                      k == 0 ? static_cast<float>(args_.beta) : 1.0f};
    for (int64_t j = begin; j < end; j += kColumns) {
      Tile tile{lanes,  b_ + j * args_.b.ld + k,
                c_ + j, depth,
                0,      std::min<int64_t>(kColumns, end - j),
                scale};
      for (int64_t part = 0; part < units_.count; ++part) {
        const int64_t first = units_.begin(part) * kUnit;
        const int64_t units = units_.begin(part + 1) - units_.begin(part);
        Tile own = tile;
        own.lanes += first * depth;
        own.c += first * args_.c.ld;
        own.rows = std::min(units * kUnit, args_.m - first);
        by_units<kUnits>(units, own);
      }
    }
  }

  template <int units>
  void by_units(int64_t count, const Tile& tile) const {
    if constexpr (units > 1) {
      if (count < units) return by_units<units - 1>(count, tile);
    }
    if (tile.columns <= kColumns / 2) {
      sum<units, kColumns / 2>(tile);
    } else {
      sum<units, kColumns>(tile);
    }
  }

  template <int units, int columns>
  HWY_NOINLINE void sum(const Tile& tile) const {
    constexpr int kWhole = kHasHalves ? units / 2 : units;
    constexpr bool kHasHalf = kHasHalves && units % 2 == 1;
    constexpr int kWidth = units * kUnit;
    const Half half;
    const int64_t ldb = args_.b.ld;
    Lanes<float> sums[columns][kWhole + 1];
    hn::Vec<Half> halves[columns];
    const float* b[columns];
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
#pragma GCC unroll 3
      for (int v = 0; v < kWhole; ++v) sums[j][v] = Lanes<float>(0);
      halves[j] = hn::Zero(half);
      // Behind the last column, the last one again.
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
          halves[j] = hn::MulAdd(rest, lower_half(half, of_b), halves[j]);
        }
      }
    };
    // A line of each column at a time, while the next columns' are asked for.
    for (int64_t k = 0; k < tile.depth; k += kLine) {
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) {
        __builtin_prefetch(reinterpret_cast<const void*>(
                               reinterpret_cast<uintptr_t>(b[j] + k) +
                               columns * ldb * sizeof(float)),
                           0, 3);
      }
      const int64_t end = std::min(k + kLine, tile.depth);
      for (int64_t l = k; l < end; ++l) step(l);
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
    store(&results[0][0], kWidth, tile);
  }

  // The tile, which lies by columns.
  HWY_NOINLINE void store(const float* results, int64_t width,
                          const Tile& tile) const {
    const Scale scale = tile.scale;
    for (int64_t i = 0; i < tile.rows; ++i) {
      float* const c = tile.c + i * args_.c.ld;
      for (int64_t j = 0; j < tile.columns; ++j) {
        const float sum = scale.alpha * results[j * width + i];
        c[j] = scale.beta == 0 ? sum : sum + scale.beta * c[j];
      }
    }
  }

  const GemmArgs& args_;
  const float* a_;
  const float* b_;
  float* c_;
  Parts units_;
};

void run(const GemmArgs& args, const char* a, const char* b, char* c) {
  if (args.b.transposed) {
    Turned(args, a, b, c).run();
  } else {
    Plain(args, a, b, c).run();
  }
}

}  // namespace

constinit const FewRows few_rows = {run};

}  // namespace catena::array::CATENA_BACKEND
