#pragma once

// Tiles of images: how successive ones share registers, and how they are read
// and transformed, or transformed and written.

#include <algorithm>
#include <cstdint>

#include "catena/array/cpu/lane_vector.h"
#include "catena/array/kernels/kernel_definition.h"
#include "catena/functions/connection/internal/winograd_matrices.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

namespace catena::kernels::CATENA_BACKEND::winograd {

// Baseline code for x86 may have no registers of several lanes.
#if HWY_TARGET != HWY_SCALAR

// The lengths of a tile of inputs and of outputs.
inline constexpr int64_t kSeen = 6;
inline constexpr int64_t kTile = 4;

inline constexpr int64_t kFull = kLanes<float>;
using D = Tag<float>;
using V = hn::Vec<D>;
using Indexes = decltype(hn::IndicesFromVec(D(), hn::Zero(Tag<int32_t>())));

// Registers in a row of a block of tiles.
inline constexpr int64_t kBlockRegisters = 3;
inline constexpr int64_t kBlockTiles = kBlockRegisters * kFull;

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

// Masked loads and stores touch no other memory, except in SSE2's and NEON's
// emulation.
inline constexpr bool kHasMasks = kFull >= 8;

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
inline void write_outputs(const float* m, int64_t step, const Block& block,
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

#endif

}  // namespace catena::kernels::CATENA_BACKEND::winograd
