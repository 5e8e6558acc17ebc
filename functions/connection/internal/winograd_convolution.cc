#include "catena/functions/connection/internal/winograd_convolution.h"

#include <algorithm>
#include <cstdint>

#include "catena/array/cpu/lane_vector.h"
#include "catena/array/cpu/memory_pool.h"
#include "catena/array/cpu/parallel.h"
#include "catena/array/kernel_definition.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND {

// Baseline code for x86 may have no registers of several lanes.
#if HWY_TARGET != HWY_SCALAR

namespace {

using array::WinogradConvolution;
using array::winograd::kPanel;
using array::winograd::kPoints;
using array::winograd::plane_step;
using Buffer = catena::cpu::PoolBuffer<float>;

// The lengths of a tile of inputs and of outputs.
constexpr int64_t kSeen = 6;
constexpr int64_t kTile = 4;

constexpr int64_t kFull = kLanes<float>;
using D = Tag<float>;
using V = hn::Vec<D>;
using Indexes = decltype(hn::IndicesFromVec(D(), hn::Zero(Tag<int32_t>())));

// Registers in a row of a block of tiles.
constexpr int64_t kBlockRegisters = 3;
constexpr int64_t kBlockTiles = kBlockRegisters * kFull;

constexpr int64_t round_up(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

// Tiles of a row of an image.
struct Segment {
  int64_t image;
  int64_t top;   // of the outputs
  int64_t left;  // of the outputs
  int64_t tiles;
  int64_t first;  // the place of the first tile in the block
};

// Segments that are transformed together. Segment i's tiles lie in registers
// from lane slots[i] on; a lane is free after the last tile of each.
struct Group {
  int64_t segments_begin;
  int64_t segments_end;
  int64_t first;
  int64_t tiles;
  // The lane of each tile, and the one after it.
  int32_t lanes[kFull];
  int32_t next[kFull];
};

struct Geometry {
  int64_t out_height;
  int64_t out_width;
  int64_t tiles_down;
  int64_t tiles_across;
  int64_t tiles;

  Geometry(int64_t batch, int64_t out_height, int64_t out_width)
      : out_height(out_height),
        out_width(out_width),
        tiles_down((out_height + kTile - 1) / kTile),
        tiles_across((out_width + kTile - 1) / kTile),
        tiles(batch * tiles_down * tiles_across) {}
};

// Successive tiles of a batch of images, and how they are read and written.
class Block {
 public:
  Block(const Geometry& geometry, int64_t begin, int64_t end)
      : tiles_(end - begin), width_(round_up(end - begin, kFull)) {
    int64_t lane = kFull;
    for (int64_t tile = begin; tile < end;) {
      const int64_t row = tile / geometry.tiles_across;
      const int64_t column = tile % geometry.tiles_across;
      const int64_t count =
          std::min({geometry.tiles_across - column, end - tile, kFull - 1});
      segments_[segment_count_] = {row / geometry.tiles_down,
                                   row % geometry.tiles_down * kTile,
                                   column * kTile, count, tile - begin};
      if (lane + count + 1 > kFull) {
        add_group(tile - begin);
        lane = 0;
      }
      Group& group = groups_[group_count_ - 1];
      slots_[segment_count_] = lane;
      for (int64_t i = 0; i < count; ++i) {
        group.lanes[group.tiles] = static_cast<int32_t>(lane + i);
        group.next[group.tiles] = static_cast<int32_t>(lane + i + 1);
        ++group.tiles;
      }
      lane += count + 1;
      ++segment_count_;
      add_to_runs(segments_[segment_count_ - 1]);
      group.segments_end = segment_count_;
      tile += count;
    }
  }

  // Tiles, and the same rounded up to full registers.
  int64_t tiles() const { return tiles_; }
  int64_t width() const { return width_; }
  const Segment& segment(int64_t i) const { return segments_[i]; }
  int64_t slot(int64_t i) const { return slots_[i]; }
  // Segments that are as long as possible.
  int64_t run_count() const { return run_count_; }
  const Segment& run(int64_t i) const { return runs_[i]; }
  int64_t group_count() const { return group_count_; }
  const Group& group(int64_t i) const { return groups_[i]; }

 private:
  void add_group(int64_t first) {
    groups_[group_count_++] = {
        segment_count_, segment_count_, first, 0, {}, {}};
  }

  void add_to_runs(const Segment& segment) {
    if (segment.left > 0 && run_count_ > 0) {
      runs_[run_count_ - 1].tiles += segment.tiles;
    } else {
      runs_[run_count_++] = segment;
    }
  }

  int64_t tiles_;
  int64_t width_;
  int64_t segment_count_ = 0;
  int64_t run_count_ = 0;
  int64_t group_count_ = 0;
  Segment segments_[kBlockTiles];
  Segment runs_[kBlockTiles];
  int64_t slots_[kBlockTiles];
  Group groups_[kBlockTiles];
};

// B^T d for a column of 6 inputs.
template <class T>
HWY_INLINE void transform_inputs(const T (&x)[6], T (&v)[6]) {
  const hn::DFromV<T> d;
  const T two = hn::Set(d, 2.0f);
  const T four = hn::Set(d, 4.0f);
  const T five = hn::Set(d, 5.0f);
  const T even = hn::NegMulAdd(four, x[2], x[4]);
  const T odd = hn::NegMulAdd(four, x[1], x[3]);
  const T far_even = hn::Sub(x[4], x[2]);
  const T far_odd = hn::Sub(x[3], x[1]);
  v[0] = hn::MulAdd(four, x[0], hn::NegMulAdd(five, x[2], x[4]));
  v[1] = hn::Add(even, odd);
  v[2] = hn::Sub(even, odd);
  v[3] = hn::MulAdd(two, far_odd, far_even);
  v[4] = hn::NegMulAdd(two, far_odd, far_even);
  v[5] = hn::MulAdd(four, x[1], hn::NegMulAdd(five, x[3], x[5]));
}

// A^T m for a column of 6 products.
template <class T>
HWY_INLINE void transform_outputs(const T (&m)[6], T (&y)[4]) {
  const hn::DFromV<T> d;
  const T sum = hn::Add(m[1], m[2]);
  const T difference = hn::Sub(m[1], m[2]);
  const T far_sum = hn::Add(m[3], m[4]);
  const T far_difference = hn::Sub(m[3], m[4]);
  y[0] = hn::Add(m[0], hn::Add(sum, far_sum));
  y[1] = hn::MulAdd(hn::Set(d, 2.0f), far_difference, difference);
  y[2] = hn::MulAdd(hn::Set(d, 4.0f), far_sum, sum);
  y[3] =
      hn::Add(hn::MulAdd(hn::Set(d, 8.0f), far_difference, difference), m[5]);
}

// A y for a column of 4 gradients of outputs.
template <class T>
HWY_INLINE void transform_gradients(const T (&y)[4], T (&v)[6]) {
  const hn::DFromV<T> d;
  const T four = hn::Set(d, 4.0f);
  const T two = hn::Set(d, 2.0f);
  const T even = hn::Add(y[0], y[2]);
  const T odd = hn::Add(y[1], y[3]);
  const T far_even = hn::MulAdd(four, y[2], y[0]);
  const T far_odd = hn::MulAdd(four, y[3], y[1]);
  v[0] = y[0];
  v[1] = hn::Add(even, odd);
  v[2] = hn::Sub(even, odd);
  v[3] = hn::MulAdd(two, far_odd, far_even);
  v[4] = hn::NegMulAdd(two, far_odd, far_even);
  v[5] = y[3];
}

// G w for a column of 3 weights.
template <class T>
HWY_INLINE void transform_weights(const T (&w)[3], T (&u)[6]) {
  const hn::DFromV<T> d;
  const T sum = hn::Mul(hn::Add(w[0], w[2]), hn::Set(d, -1.0f / 6));
  const T middle = hn::Mul(w[1], hn::Set(d, -1.0f / 6));
  const T far_sum = hn::MulAdd(w[0], hn::Set(d, 1.0f / 24),
                               hn::Mul(w[2], hn::Set(d, 1.0f / 6)));
  const T far_middle = hn::Mul(w[1], hn::Set(d, 1.0f / 12));
  u[0] = hn::Mul(w[0], hn::Set(d, 0.25f));
  u[1] = hn::Add(sum, middle);
  u[2] = hn::Sub(sum, middle);
  u[3] = hn::Add(far_sum, far_middle);
  u[4] = hn::Sub(far_sum, far_middle);
  u[5] = w[2];
}

// G^T u for a column of 6 sums of products: the gradients of 3 weights.
template <class T>
HWY_INLINE void transform_sums(const T (&u)[6], T (&w)[3]) {
  const hn::DFromV<T> d;
  const T sixth = hn::Set(d, 1.0f / 6);
  const T sum = hn::Mul(hn::Add(u[1], u[2]), sixth);
  const T far_sum = hn::Add(u[3], u[4]);
  w[0] = hn::MulAdd(far_sum, hn::Set(d, 1.0f / 24),
                    hn::NegMulAdd(hn::Add(u[1], u[2]), sixth,
                                  hn::Mul(u[0], hn::Set(d, 0.25f))));
  w[1] = hn::MulAdd(hn::Sub(u[3], u[4]), hn::Set(d, 1.0f / 12),
                    hn::Mul(hn::Sub(u[2], u[1]), sixth));
  w[2] = hn::Add(hn::MulSub(far_sum, sixth, sum), u[5]);
}

// Masked loads and stores touch no other memory, except in SSE2's and NEON's
// emulation.
constexpr bool kHasMasks = kFull >= 8;

// Lanes [begin, end) from p, zeros elsewhere.
HWY_INLINE V load_part(const float* p, int64_t begin, int64_t end) {
  const D d;
  if constexpr (kHasMasks) {
    const auto before_end = hn::FirstN(d, static_cast<size_t>(end));
    const auto mask =
        begin == 0
            ? before_end
            : hn::AndNot(hn::FirstN(d, static_cast<size_t>(begin)), before_end);
    return hn::MaskedLoad(mask, d, p);
  } else {
    alignas(64) float lanes[kFull] = {};
    for (int64_t i = begin; i < end; ++i) lanes[i] = p[i];
    return hn::Load(d, lanes);
  }
}

HWY_INLINE V load_first(const float* p, int64_t count) {
  return count >= kFull ? hn::LoadU(D(), p) : load_part(p, 0, count);
}

// AMD's masked stores without AVX-512 take longer than two others.
HWY_INLINE void store_first(V v, float* p, int64_t count) {
  const D d;
  if (count >= kFull) {
    hn::StoreU(v, d, p);
  } else if constexpr (kFull == 16) {
    hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(count)), d, p);
  } else {
    const hn::CappedTag<float, 4> part;
    alignas(64) float lanes[kFull];
    hn::Store(v, d, lanes);
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
      hn::StoreU(hn::Load(part, lanes + i), part, p + i);
    }
    for (; i < count; ++i) p[i] = lanes[i];
  }
}

// Images that are read in tiles.
struct Images {
  const float* first;
  int64_t channels;
  int64_t height;
  int64_t width;
  int64_t pad[2];
};

// Tiles of inputs, which overlap, are transformed to B^T x B.
struct InputTiles {
  static constexpr int64_t kSide = kSeen;
  HWY_INLINE static void transform(const V (&x)[kSide], V (&v)[kSeen]) {
    transform_inputs(x, v);
  }
};

// Tiles of gradients of outputs are transformed to A y A^T.
struct GradientTiles {
  static constexpr int64_t kSide = kTile;
  HWY_INLINE static void transform(const V (&y)[kSide], V (&v)[kSeen]) {
    transform_gradients(y, v);
  }
};

// Transforms the tiles of a block: a matrix (channels, width) for each point,
// `step` floats apart.
template <class Tiles>
class Transform {
 public:
  Transform(const Images& images, const Block& block, float* to, int64_t step)
      : images_(images), block_(block), to_(to), step_(step) {}

  void run(int64_t channels_begin, int64_t channels_end) const {
    for (int64_t c = channels_begin; c < channels_end; ++c) {
      float* const to = to_ + (c - channels_begin) * block_.width();
      const bool is_last = c + 1 == channels_end;
      for (int64_t i = 0; i < block_.group_count(); ++i) {
        const Group& group = block_.group(i);
        for (int64_t j = group.segments_begin; j < group.segments_end; ++j) {
          transform_columns(c, block_.segment(j), block_.slot(j));
        }
        transform_rows(group, to + group.first, is_last);
      }
    }
  }

 private:
  static constexpr int64_t kSide = Tiles::kSide;
  // The pixels of a register's tiles, and what a last partial store adds.
  static constexpr int64_t kLine = kTile * kFull + kFull;

  void transform_columns(int64_t c, const Segment& segment,
                         int64_t slot) const {
    const D d;
    const float* const image =
        images_.first +
        (segment.image * images_.channels + c) * images_.height * images_.width;
    const float* rows[kSide];
    for (int64_t r = 0; r < kSide; ++r) {
      const int64_t y = segment.top - images_.pad[0] + r;
      rows[r] =
          y >= 0 && y < images_.height ? image + y * images_.width : nullptr;
    }
    const int64_t next =
        c + 1 < images_.channels ? images_.height * images_.width : 0;
    const int64_t pixels = kTile * segment.tiles + kSide - kTile;
    for (int64_t i = 0; i < pixels; i += kFull) {
      const int64_t x = segment.left - images_.pad[1] + i;
      V column[kSide];
      if (x >= 0 && x + kFull <= images_.width) {
        for (int64_t r = 0; r < kSide; ++r) {
          if (rows[r] == nullptr) {
            column[r] = hn::Zero(d);
          } else {
            column[r] = hn::LoadU(d, rows[r] + x);
            // The next channel is too far away to be foreseen.
            hwy::Prefetch(rows[r] + x + next);
          }
        }
      } else {
        const int64_t begin = std::clamp<int64_t>(-x, 0, kFull);
        const int64_t end =
            std::clamp<int64_t>(images_.width - x, begin, kFull);
        for (int64_t r = 0; r < kSide; ++r) {
          column[r] = rows[r] == nullptr || begin == end
                          ? hn::Zero(d)
                          : load_part(rows[r] + x, begin, end);
        }
      }
      V v[kSeen];
      Tiles::transform(column, v);
      for (int64_t r = 0; r < kSeen; ++r) {
        hn::StoreU(v[r], d, lines_ + r * kLine + kTile * slot + i);
      }
    }
  }

  void transform_rows(const Group& group, float* to, bool is_last) const {
    const D d;
    const auto lanes = hn::SetTableIndices(d, group.lanes);
    const auto next = hn::SetTableIndices(d, group.next);
    // What a store writes too much is overwritten by the next group or channel.
    const int64_t room = is_last ? block_.width() - group.first : kFull;
    for (int64_t r = 0; r < kSeen; ++r) {
      V a, b, e, f;
      hn::LoadInterleaved4(d, lines_ + r * kLine, a, b, e, f);
      V row[kSide];
      row[0] = hn::TableLookupLanes(a, lanes);
      row[1] = hn::TableLookupLanes(b, lanes);
      row[2] = hn::TableLookupLanes(e, lanes);
      row[3] = hn::TableLookupLanes(f, lanes);
      if constexpr (kSide > kTile) {
        row[4] = hn::TableLookupLanes(a, next);
        row[5] = hn::TableLookupLanes(b, next);
      }
      V v[kSeen];
      Tiles::transform(row, v);
      for (int64_t j = 0; j < kSeen; ++j) {
        store_first(v[j], to + (r * kSeen + j) * step_, room);
      }
    }
  }

  const Images& images_;
  const Block& block_;
  float* to_;
  int64_t step_;
  alignas(64) mutable float lines_[kSeen * kLine] = {};
};

// The weights of a convolution of `channels` inputs, or of its transpose.
struct Weights {
  const float* first;
  int64_t rows;      // outputs
  int64_t channels;  // inputs
  // The distances in floats between outputs and between inputs.
  int64_t row_step;
  int64_t channel_step;
  bool is_flipped;
};

// Reads 4 columns of 8 rows: registers of 8 floats, or pairs of 4.
using Half = hn::CappedTag<float, 8>;
constexpr int64_t kHalf = kFull >= 8 ? 8 : kFull;
using Eighth = hn::Vec<Half>;

template <class H>
HWY_INLINE hn::Vec<H> load_pair(H half, const float* const* rows) {
  const hn::FixedTag<float, 4> quarter;
  if constexpr (kHalf == 8) {
    return hn::Combine(half, hn::LoadU(quarter, rows[4]),
                       hn::LoadU(quarter, rows[0]));
  } else {
    return hn::LoadU(quarter, rows[0]);
  }
}

HWY_INLINE void load_transposed(const float* const* rows, Eighth* columns) {
  const Half half;
  Eighth r[4];
  for (int64_t i = 0; i < 4; ++i) r[i] = load_pair(half, rows + i);
  const Eighth a = hn::InterleaveLower(half, r[0], r[2]);
  const Eighth b = hn::InterleaveLower(half, r[1], r[3]);
  const Eighth e = hn::InterleaveUpper(half, r[0], r[2]);
  const Eighth f = hn::InterleaveUpper(half, r[1], r[3]);
  columns[0] = hn::InterleaveLower(half, a, b);
  columns[1] = hn::InterleaveUpper(half, a, b);
  columns[2] = hn::InterleaveLower(half, e, f);
  columns[3] = hn::InterleaveUpper(half, e, f);
}

// G w G^T for a panel of rows: (channels, kPanel) for each point, step floats
// apart.
void transform_panel(const Weights& weights, int64_t panel, float* to,
                     int64_t step) {
  const Half half;
  const float* first[kPanel];
  for (int64_t i = 0; i < kPanel; ++i) {
    // Rows beyond the last are never used.
    const int64_t row = std::min(panel * kPanel + i, weights.rows - 1);
    first[i] = weights.first + row * weights.row_step;
  }
  for (int64_t c = 0; c < weights.channels; ++c) {
    const float* rows[kPanel];
    const float* later[kPanel];
    const float* last[kPanel];
    for (int64_t i = 0; i < kPanel; ++i) {
      rows[i] = first[i] + c * weights.channel_step;
      later[i] = rows[i] + 4;
      last[i] = rows[i] + 5;
    }
    for (int64_t part = 0; part < kPanel / kHalf; ++part) {
      // The last columns overlap, so that nothing beyond W is read.
      Eighth w[9];
      Eighth last_columns[4];
      load_transposed(rows + 4 * part, w);
      load_transposed(later + 4 * part, w + 4);
      load_transposed(last + 4 * part, last_columns);
      w[8] = last_columns[3];
      Eighth turned[kSeen][3];
      for (int64_t j = 0; j < 3; ++j) {
        const Eighth column[3] = {weights.is_flipped ? w[8 - j] : w[j],
                                  weights.is_flipped ? w[5 - j] : w[3 + j],
                                  weights.is_flipped ? w[2 - j] : w[6 + j]};
        Eighth u[kSeen];
        transform_weights(column, u);
        for (int64_t r = 0; r < kSeen; ++r) turned[r][j] = u[r];
      }
      for (int64_t r = 0; r < kSeen; ++r) {
        Eighth u[kSeen];
        transform_weights(turned[r], u);
        for (int64_t j = 0; j < kSeen; ++j) {
          hn::StoreU(u[j], half,
                     to + (r * kSeen + j) * step + c * kPanel + part * kHalf);
        }
      }
    }
  }
}

// C = A B, or C += A B: rows of A, interleaved in a panel, times full registers
// of B.
struct Product {
  int64_t depth;
  const float* a;  // kPanel floats for each step
  const float* b;
  int64_t ldb;
  float* c;
  int64_t ldc;
  bool is_added = false;
};

template <int kRegisters>
void multiply_panel(const Product& args) {
  // Sums are accumulated in registers: AVX-512 has 32 of them, the other
  // instruction sets 16.
  constexpr int kRows = kFull == 16 || kRegisters == 1 ? kPanel : kPanel / 2;
  const D d;
  for (int first = 0; first < kPanel; first += kRows) {
    float* const c = args.c + first * args.ldc;
    V sums[kRows][kRegisters];
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kRegisters; ++j) {
        sums[i][j] = args.is_added ? hn::LoadU(d, c + i * args.ldc + j * kFull)
                                   : hn::Zero(d);
      }
    }
    const float* a = args.a + first;
    const float* b = args.b;
    for (int64_t k = 0; k < args.depth; ++k, a += kPanel, b += args.ldb) {
      V right[kRegisters];
      for (int j = 0; j < kRegisters; ++j) {
        right[j] = hn::LoadU(d, b + j * kFull);
      }
      for (int i = 0; i < kRows; ++i) {
        const V left = hn::Set(d, a[i]);
        for (int j = 0; j < kRegisters; ++j) {
          sums[i][j] = hn::MulAdd(left, right[j], sums[i][j]);
        }
      }
    }
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kRegisters; ++j) {
        hn::StoreU(sums[i][j], d, c + i * args.ldc + j * kFull);
      }
    }
  }
}

// The product of a panel and `width` columns: 1 to 3 full registers.
void multiply_panel(const Product& args, int64_t width) {
  if (width == kFull) {
    multiply_panel<1>(args);
  } else if (width == 2 * kFull) {
    multiply_panel<2>(args);
  } else {
    multiply_panel<3>(args);
  }
}

// Images that are written in tiles.
struct Outputs {
  float* first;
  int64_t channels;
  int64_t height;
  int64_t width;
  const float* bias;
  const float* residual;
  bool relu;
};

// Writes A^T m A for a channel of a block's tiles; `step` is the distance
// between points.
void write_outputs(const float* m, int64_t step, const Block& block,
                   int64_t channel, const Outputs& outputs) {
  const D d;
  constexpr int64_t kLine = kTile * kBlockTiles;
  alignas(64) float lines[kTile * kLine];
  for (int64_t i = 0; i < block.width(); i += kFull) {
    V columns[kTile][kSeen];
    for (int64_t j = 0; j < kSeen; ++j) {
      V column[kSeen];
      for (int64_t r = 0; r < kSeen; ++r) {
        column[r] = hn::LoadU(d, m + (r * kSeen + j) * step + i);
      }
      V y[kTile];
      transform_outputs(column, y);
      for (int64_t r = 0; r < kTile; ++r) columns[r][j] = y[r];
    }
    for (int64_t r = 0; r < kTile; ++r) {
      V y[kTile];
      transform_outputs(columns[r], y);
      hn::StoreInterleaved4(y[0], y[1], y[2], y[3], d,
                            lines + r * kLine + kTile * i);
    }
  }
  const V bias =
      hn::Set(d, outputs.bias == nullptr ? 0.0f : outputs.bias[channel]);
  for (int64_t i = 0; i < block.run_count(); ++i) {
    const Segment& segment = block.run(i);
    const int64_t rows = std::min(kTile, outputs.height - segment.top);
    const int64_t pixels =
        std::min(kTile * segment.tiles, outputs.width - segment.left);
    const int64_t offset =
        ((segment.image * outputs.channels + channel) * outputs.height +
         segment.top) *
            outputs.width +
        segment.left;
    for (int64_t r = 0; r < rows; ++r) {
      const float* const from = lines + r * kLine + kTile * segment.first;
      const int64_t start = offset + r * outputs.width;
      for (int64_t j = 0; j < pixels; j += kFull) {
        V y = hn::Add(load_first(from + j, pixels - j), bias);
        if (outputs.residual != nullptr) {
          y = hn::Add(y, load_first(outputs.residual + start + j, pixels - j));
        }
        // As functions::relu does, keeps NaN.
        if (outputs.relu) y = hn::IfThenZeroElse(hn::Lt(y, hn::Zero(d)), y);
        store_first(y, outputs.first + start + j, pixels - j);
      }
    }
  }
}

// Panels of transformed weights.
struct Panels {
  const float* first;
  int64_t step;        // between points
  int64_t panel_step;  // between panels
};

// A convolution of images: the forward pass, or the gradient of x.
class Pass {
 public:
  Pass(const Images& images, const Weights& weights, const float* transformed,
       const Outputs& outputs, int64_t batch)
      : images_(images),
        weights_(weights),
        transformed_(transformed),
        outputs_(outputs),
        geometry_(batch, outputs.height, outputs.width),
        block_tiles_(block_tiles_of(geometry_.tiles)),
        blocks_((geometry_.tiles + block_tiles_ - 1) / block_tiles_),
        panels_((weights.rows + kPanel - 1) / kPanel) {}

  void run() const {
    if (blocks_ >= 4 * get_num_threads()) {
      run_by_blocks();
    } else {
      run_by_panels();
    }
  }

  // All panels, for any number of tiles.
  static Panels layout(const Weights& weights, const float* first) {
    const int64_t panels = (weights.rows + kPanel - 1) / kPanel;
    const int64_t panel_step = weights.channels * kPanel;
    return {first, plane_step(panels * panel_step), panel_step};
  }

  static void transform_all(const Weights& weights, float* to) {
    const Panels all = layout(weights, to);
    const int64_t panels = (weights.rows + kPanel - 1) / kPanel;
    catena::cpu::parallel_for(panels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        transform_panel(weights, i, to + i * all.panel_step, all.step);
      }
    });
  }

 private:
  // Panels whose products are computed together.
  static constexpr int64_t kPanelsAtOnce = 2;

  Block block(int64_t i) const {
    return Block(geometry_, i * block_tiles_,
                 std::min((i + 1) * block_tiles_, geometry_.tiles));
  }

  // The same number of registers in each block, as far as possible.
  static int64_t block_tiles_of(int64_t tiles) {
    const int64_t blocks = (tiles + kBlockTiles - 1) / kBlockTiles;
    return round_up((tiles + blocks - 1) / blocks, kFull);
  }

  static constexpr int64_t products_step() {
    return plane_step(kPanelsAtOnce * kPanel * kBlockTiles);
  }
  int64_t inputs_step(int64_t width) const {
    return plane_step(images_.channels * width);
  }
  int64_t inputs_size() const { return kPoints * inputs_step(kBlockTiles); }

  // Each thread has its own tiles, and multiplies them by all weights.
  void run_by_blocks() const {
    const bool is_given = transformed_ != nullptr;
    const Buffer memory(is_given ? 0
                                 : array::winograd::weights_size(
                                       weights_.rows, weights_.channels));
    if (!is_given) transform_all(weights_, memory.get());
    const Panels all = layout(weights_, is_given ? transformed_ : memory.get());
    catena::cpu::parallel_for(blocks_, 1, [&](int64_t begin, int64_t end) {
      const Buffer inputs(inputs_size());
      const Buffer products(kPoints * products_step());
      for (int64_t i = begin; i < end; ++i) {
        const Block tiles = block(i);
        Transform<InputTiles>(images_, tiles, inputs.get(),
                              inputs_step(tiles.width()))
            .run(0, images_.channels);
        for (int64_t j = 0; j < panels_; j += kPanelsAtOnce) {
          const Panels some = {all.first + j * all.panel_step, all.step,
                               all.panel_step};
          multiply_by(some, j, tiles, inputs.get(), products.get());
        }
      }
    });
  }

  // All threads transform some tiles; then each has its own weights, which are
  // read once.
  void run_by_panels() const {
    constexpr int64_t kCachedFloats = int64_t{1} << 21;
    const int64_t at_once =
        std::clamp<int64_t>(kCachedFloats / inputs_size(), 1, blocks_);
    const Buffer inputs(at_once * inputs_size());
    for (int64_t i = 0; i < blocks_; i += at_once) {
      const int64_t end = std::min(i + at_once, blocks_);
      catena::cpu::parallel_for(
          images_.channels, 8,
          [&](int64_t channels_begin, int64_t channels_end) {
            for (int64_t j = i; j < end; ++j) {
              const Block tiles = block(j);
              float* const to = inputs.get() + (j - i) * inputs_size() +
                                channels_begin * tiles.width();
              Transform<InputTiles>(images_, tiles, to,
                                    inputs_step(tiles.width()))
                  .run(channels_begin, channels_end);
            }
          });
      const int64_t jobs = (panels_ + kPanelsAtOnce - 1) / kPanelsAtOnce;
      catena::cpu::parallel_for(jobs, 1, [&](int64_t first, int64_t last) {
        const int64_t panel_step = images_.channels * kPanel;
        const int64_t step = plane_step(kPanelsAtOnce * panel_step);
        const Buffer memory(transformed_ == nullptr ? kPoints * step : 0);
        const Buffer products(kPoints * products_step());
        for (int64_t job = first; job < last; ++job) {
          const int64_t j = job * kPanelsAtOnce;
          Panels some = {memory.get(), step, panel_step};
          if (transformed_ != nullptr) {
            some = layout(weights_, transformed_);
            some.first += j * panel_step;
          } else {
            for (int64_t k = j; k < std::min(j + kPanelsAtOnce, panels_); ++k) {
              transform_panel(weights_, k, memory.get() + (k - j) * panel_step,
                              step);
            }
          }
          for (int64_t k = i; k < end; ++k) {
            multiply_by(some, j, block(k),
                        inputs.get() + (k - i) * inputs_size(), products.get());
          }
        }
      });
    }
  }

  void multiply_by(const Panels& panels, int64_t first_panel,
                   const Block& tiles, const float* inputs,
                   float* products) const {
    const int64_t count = std::min(kPanelsAtOnce, panels_ - first_panel);
    const int64_t width = tiles.width();
    for (int64_t point = 0; point < kPoints; ++point) {
      for (int64_t i = 0; i < count; ++i) {
        multiply_panel(
            {.depth = images_.channels,
             .a = panels.first + point * panels.step + i * panels.panel_step,
             .b = inputs + point * inputs_step(width),
             .ldb = width,
             .c = products + point * products_step() + i * kPanel * width,
             .ldc = width},
            width);
      }
    }
    const int64_t begin = first_panel * kPanel;
    const int64_t end = std::min(begin + count * kPanel, weights_.rows);
    for (int64_t k = begin; k < end; ++k) {
      write_outputs(products + (k - begin) * width, products_step(), tiles, k,
                    outputs_);
    }
  }

  const Images& images_;
  const Weights& weights_;
  const float* transformed_;
  const Outputs& outputs_;
  Geometry geometry_;
  int64_t block_tiles_;
  int64_t blocks_;
  int64_t panels_;
};

Images images_of(const WinogradConvolution& args) {
  return {args.x,
          args.channels,
          args.height,
          args.width,
          {args.pad[0], args.pad[1]}};
}

Weights weights_of(const WinogradConvolution& args) {
  return {args.W, args.outputs, args.channels, args.channels * 9, 9, false};
}

void transform_weights(const WinogradConvolution& args, float* transformed) {
  Pass::transform_all(weights_of(args), transformed);
}

void forward(const WinogradConvolution& args) {
  const Images images = images_of(args);
  const Outputs outputs = {args.y,           args.outputs, args.out_height(),
                           args.out_width(), args.b,       args.residual,
                           args.relu};
  Pass(images, weights_of(args), args.transformed, outputs, args.batch).run();
}

// A convolution of y's gradient with the weights turned around.
void backward_data(const WinogradConvolution& args) {
  const Images images = {args.y,
                         args.outputs,
                         args.out_height(),
                         args.out_width(),
                         {2 - args.pad[0], 2 - args.pad[1]}};
  const Weights weights = {args.W, args.channels,     args.outputs,
                           9,      args.channels * 9, true};
  const Outputs outputs = {args.x,  args.channels, args.height, args.width,
                           nullptr, nullptr,       false};
  Pass(images, weights, nullptr, outputs, args.batch).run();
}

// The gradient of W: for each point, the sum over tiles of the products of the
// transforms of x and of y's gradient.
class WeightsPass {
 public:
  WeightsPass(const Images& x, const Images& y, int64_t batch, float* W)
      : x_(x),
        y_(y),
        W_(W),
        geometry_(batch, y.height, y.width),
        blocks_((geometry_.tiles + kBlockTiles - 1) / kBlockTiles),
        blocks_at_once_(std::clamp<int64_t>(
            kCachedFloats / (kPoints * kBlockTiles * (x.channels + y.channels)),
            1, blocks_)),
        tiles_at_once_(
            std::min(blocks_at_once_ * kBlockTiles, geometry_.tiles)),
        left_step_(plane_step(round_up(y.channels, kPanel) * tiles_at_once_)),
        right_step_(plane_step(round_up(x.channels, kRight) * tiles_at_once_)),
        jobs_down_((y.channels + kRowsOfJob - 1) / kRowsOfJob),
        jobs_across_((x.channels + kColumnsOfJob - 1) / kColumnsOfJob) {}

  void run() const {
    const Buffer left(kPoints * left_step_);
    const Buffer right(kPoints * right_step_);
    const bool is_one_part = blocks_ <= blocks_at_once_;
    const int64_t jobs = jobs_down_ * jobs_across_;
    const Buffer sums(is_one_part ? 0 : jobs * kPoints * kSumsStep);
    for (int64_t i = 0; i < blocks_; i += blocks_at_once_) {
      const int64_t end = std::min(i + blocks_at_once_, blocks_);
      transform(i, end, left.get(), right.get());
      const int64_t depth =
          std::min(end * kBlockTiles, geometry_.tiles) - i * kBlockTiles;
      catena::cpu::parallel_for(jobs, 1, [&](int64_t first, int64_t last) {
        const Buffer own(is_one_part ? kPoints * kSumsStep : 0);
        for (int64_t job = first; job < last; ++job) {
          float* const to =
              is_one_part ? own.get() : sums.get() + job * kPoints * kSumsStep;
          multiply_job(job, left.get(), right.get(), depth, i > 0, to);
          if (end == blocks_) write_job(job, to);
        }
      });
    }
  }

 private:
  // What both transforms may take.
  static constexpr int64_t kCachedFloats = int64_t{1} << 22;
  // Channels of x that are packed together: a multiple of kPanel.
  static constexpr int64_t kRight = kFull == 4 ? 8 : 3 * kFull;
  static constexpr int64_t kRowsOfJob = 4 * kPanel;
  static constexpr int64_t kColumnsOfJob = 2 * kRight;
  static constexpr int64_t kSumsStep = plane_step(kRowsOfJob * kColumnsOfJob);

  // Packs blocks of tiles: y as (panels, tiles, kPanel) for each point, x as
  // (panels, tiles, kRight).
  void transform(int64_t begin, int64_t end, float* left, float* right) const {
    const int64_t y_parts = (y_.channels + kPanel - 1) / kPanel;
    const int64_t parts = y_parts + (x_.channels + kPanel - 1) / kPanel;
    catena::cpu::parallel_for(
        (end - begin) * parts, 1, [&](int64_t first, int64_t last) {
          constexpr int64_t kStep = plane_step(kPanel * kBlockTiles);
          const Buffer memory(kPoints * kStep);
          std::fill_n(memory.get(), kPoints * kStep, 0.0f);
          for (int64_t i = first; i < last; ++i) {
            const int64_t place = (begin + i / parts) * kBlockTiles;
            const Block block(geometry_, place,
                              std::min(place + kBlockTiles, geometry_.tiles));
            const int64_t tile = place - begin * kBlockTiles;
            const int64_t part = i % parts;
            if (part < y_parts) {
              const int64_t c = part * kPanel;
              Transform<GradientTiles>(y_, block, memory.get(), kStep)
                  .run(c, std::min(c + kPanel, y_.channels));
              turn(memory.get(), kStep, block,
                   left + (part * tiles_at_once_ + tile) * kPanel, left_step_,
                   kPanel);
            } else {
              const int64_t c = (part - y_parts) * kPanel;
              Transform<InputTiles>(x_, block, memory.get(), kStep)
                  .run(c, std::min(c + kPanel, x_.channels));
              turn(memory.get(), kStep, block,
                   right + (c / kRight * tiles_at_once_ + tile) * kRight +
                       c % kRight,
                   right_step_, kRight);
            }
          }
        });
  }

  // Writes the transposes of matrices (kPanel, tiles); rows of `to` are
  // `to_row` floats apart.
  static void turn(const float* from, int64_t from_step, const Block& block,
                   float* to, int64_t to_step, int64_t to_row) {
    const Half half;
    for (int64_t point = 0; point < kPoints; ++point) {
      for (int64_t i = 0; i < block.tiles(); i += 4) {
        const float* rows[kPanel];
        for (int64_t j = 0; j < kPanel; ++j) {
          rows[j] = from + point * from_step + j * block.width() + i;
        }
        const int64_t count = std::min<int64_t>(4, block.tiles() - i);
        for (int64_t part = 0; part < kPanel / kHalf; ++part) {
          Eighth columns[4];
          load_transposed(rows + 4 * part, columns);
          for (int64_t j = 0; j < count; ++j) {
            hn::StoreU(columns[j], half,
                       to + point * to_step + (i + j) * to_row + part * kHalf);
          }
        }
      }
    }
  }

  struct Part {
    int64_t row;
    int64_t rows;
    int64_t column;
    int64_t columns;
  };
  Part part_of(int64_t job) const {
    const int64_t row = job / jobs_across_ * kRowsOfJob;
    const int64_t column = job % jobs_across_ * kColumnsOfJob;
    return {row, std::min(kRowsOfJob, y_.channels - row), column,
            std::min(kColumnsOfJob, x_.channels - column)};
  }

  void multiply_job(int64_t job, const float* left, const float* right,
                    int64_t depth, bool is_added, float* sums) const {
    const Part part = part_of(job);
    for (int64_t point = 0; point < kPoints; ++point) {
      for (int64_t j = 0; j < part.columns; j += kRight) {
        const int64_t width =
            round_up(std::min(kRight, part.columns - j), kFull);
        for (int64_t i = 0; i < part.rows; i += kPanel) {
          multiply_panel(
              {.depth = depth,
               .a = left + point * left_step_ + (part.row + i) * tiles_at_once_,
               .b = right + point * right_step_ +
                    (part.column + j) * tiles_at_once_,
               .ldb = kRight,
               .c = sums + point * kSumsStep + i * kColumnsOfJob + j,
               .ldc = kColumnsOfJob,
               .is_added = is_added},
              width);
        }
      }
    }
  }

  // Writes G^T u G.
  void write_job(int64_t job, const float* sums) const {
    const D d;
    const Part part = part_of(job);
    for (int64_t i = 0; i < part.rows; ++i) {
      for (int64_t j = 0; j < part.columns; j += kFull) {
        V turned[3][kSeen];
        for (int64_t k = 0; k < kSeen; ++k) {
          V column[kSeen];
          for (int64_t r = 0; r < kSeen; ++r) {
            column[r] = hn::LoadU(
                d, sums + (r * kSeen + k) * kSumsStep + i * kColumnsOfJob + j);
          }
          V w[3];
          transform_sums(column, w);
          for (int64_t r = 0; r < 3; ++r) turned[r][k] = w[r];
        }
        alignas(64) float lanes[9][kFull];
        for (int64_t r = 0; r < 3; ++r) {
          V w[3];
          transform_sums(turned[r], w);
          for (int64_t k = 0; k < 3; ++k) hn::Store(w[k], d, lanes[3 * r + k]);
        }
        float* to = W_ + ((part.row + i) * x_.channels + part.column + j) * 9;
        const int64_t count = std::min(kFull, part.columns - j);
        for (int64_t lane = 0; lane < count; ++lane) {
          for (int64_t k = 0; k < 9; ++k) *to++ = lanes[k][lane];
        }
      }
    }
  }

  const Images& x_;
  const Images& y_;
  float* W_;
  Geometry geometry_;
  int64_t blocks_;
  int64_t blocks_at_once_;
  int64_t tiles_at_once_;
  int64_t left_step_;
  int64_t right_step_;
  int64_t jobs_down_;
  int64_t jobs_across_;
};

void backward_weights(const WinogradConvolution& args) {
  const Images x = images_of(args);
  const Images y = {
      args.y, args.outputs, args.out_height(), args.out_width(), {0, 0}};
  WeightsPass(x, y, args.batch, args.W).run();
}

}  // namespace

template <>
constinit const array::WinogradKernels Kernels<array::WinogradKernels>::table =
    {transform_weights, forward, backward_data, backward_weights};

#else

template <>
constinit const array::WinogradKernels Kernels<array::WinogradKernels>::table =
    {};

#endif

}  // namespace catena::kernels::CATENA_BACKEND
