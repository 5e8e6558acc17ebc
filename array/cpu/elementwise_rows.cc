#include "catena/array/cpu/elementwise_rows.h"

#include <algorithm>
#include <cstring>

#include "catena/array/core/parallel.h"
#include "catena/array/core/stream_bytes.h"
#include "catena/array/core/strided_copy.h"
#include "catena/array/cpu/transpose_lines.h"

namespace catena::kernels {
namespace {

// Elements of a non-contiguous operand are gathered this many at a time, so
// that the buffers of a call stay in the L1 cache.
constexpr int64_t kBlock = 1024;

// For fewer elements per thread, waking it costs more than it saves.
constexpr int64_t kGrain = 32768;

// Non-temporal stores write whole cache lines.
constexpr int64_t kLine = 64;

// Rows shorter than this are walked along another axis, if there is a longer
// one.
constexpr int64_t kShortRow = 16;

// The minimum extents of a tile, and the maximum number of operands transposed
// in one call.
constexpr int64_t kMinTile = 8;
constexpr int kMaxTransposed = 2;
constexpr int64_t kTileBytes = 24 << 10;

// The prefetch distance for tiles transposed in registers.
constexpr int64_t kTilesAhead = 3;

void move_to(ElementwiseArgs& args, int axis, int position) {
  for (; axis < position; ++axis) {
    std::swap(args.shape[axis], args.shape[axis + 1]);
    for (int k = 0; k < args.noperands; ++k) {
      int64_t* strides = args.operands[k].strides;
      std::swap(strides[axis], strides[axis + 1]);
    }
  }
}

// Iterates over positions along the leading axes and the operands' elements
// there.
class Cursor {
 public:
  Cursor(const ElementwiseArgs& args, int naxes, int64_t index)
      : args_(args), naxes_(naxes) {
    for (int k = 0; k < args.noperands; ++k) data[k] = args.operands[k].data;
    for (int axis = naxes - 1; axis >= 0; --axis) {
      position_[axis] = index % args.shape[axis];
      index /= args.shape[axis];
      advance(axis, position_[axis]);
    }
  }

  void next() {
    for (int axis = naxes_ - 1; axis >= 0; --axis) {
      const bool wraps = ++position_[axis] == args_.shape[axis];
      advance(axis, wraps ? 1 - args_.shape[axis] : 1);
      if (!wraps) return;
      position_[axis] = 0;
    }
  }

  char* data[kMaxOperands];

 private:
  void advance(int axis, int64_t steps) {
    for (int k = 0; k < args_.noperands; ++k) {
      data[k] += steps * args_.operands[k].strides[axis];
    }
  }

  const ElementwiseArgs& args_;
  int naxes_;
  int64_t position_[kMaxDims];
};

class Rows {
 public:
  Rows(const ElementwiseArgs& args, const ElementwiseRow& kernel)
      : args_(args), kernel_(kernel), inner_(args.ndim - 1) {
    for (int k = 0; k < args.noperands; ++k) {
      strides_[k] = args.operands[k].strides[inner_];
    }
    stream_ = can_stream();
    const int64_t size = kernel.item_sizes[0];
    if (stream_ && kernel.copies && (size == 4 || size == 8)) {
      lines_ = kernel_slot<TransposeLines>.on(Device()).run;
    }
  }

  // A single axis.
  void run_flat() const {
    char* data[kMaxOperands];
    for (int k = 0; k < args_.noperands; ++k) {
      data[k] = args_.operands[k].data;
    }
    if (args_.size < 2 * kGrain) {
      return run_row(data, strides_, args_.size, false);
    }
    catena::cpu::parallel_for(
        args_.size, kGrain,
        [&](int64_t begin, int64_t end) {
          char* own[kMaxOperands];
          for (int k = 0; k < args_.noperands; ++k) {
            own[k] = data[k] + begin * strides_[k];
          }
          run_row(own, strides_, end - begin, stream_);
          if (stream_) cpu::stream_fence();
        },
        /*align=*/kLine);
  }

  void run() const {
    const int64_t row = args_.shape[inner_];
    catena::cpu::parallel_for(
        args_.size / row, std::max<int64_t>(1, kGrain / row),
        [&](int64_t begin, int64_t end) {
          Cursor cursor(args_, inner_, begin);
          for (int64_t i = begin; i < end; ++i, cursor.next()) {
            run_row(cursor.data, strides_, row, stream_);
          }
          if (stream_) cpu::stream_fence();
        });
  }

  // Tiles of the last two axes: `transposed` operands, which are contiguous
  // along the second to last axis, are first transposed into buffers.
  void run_tiles(const int* transposed, int ntransposed) const {
    const int outer = inner_ - 1;
    const int64_t outer_extent = args_.shape[outer];
    const int64_t extent = args_.shape[inner_];
    const Tile tile = tile_for(transposed[0]);
    const int64_t columns = (extent + tile.inner - 1) / tile.inner;
    catena::cpu::parallel_for(
        args_.size / (extent * outer_extent) * columns,
        std::max<int64_t>(1, kGrain / (tile.inner * outer_extent)),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const Cursor cursor(args_, outer, i / columns);
            const int64_t at = i % columns * tile.inner;
            const int64_t n = std::min(tile.inner, extent - at);
            char* data[kMaxOperands];
            for (int k = 0; k < args_.noperands; ++k) {
              data[k] = cursor.data[k] + at * strides_[k];
            }
            run_column(data, n, tile, transposed, ntransposed);
          }
          if (stream_) cpu::stream_fence();
        });
  }

 private:
  struct Tile {
    int64_t inner;  // elements along the last axis and the one before
    int64_t outer;
  };

  // Copies access two cache lines of as many rows as the processor can
  // prefetch.
  Tile tile_for(int operand) const {
    if (!kernel_.copies) return {64, 32};
    const int64_t side = 2 * kLine / kernel_.item_sizes[operand];
    return {side, side};
  }

  bool are_lines(int64_t items) const {
    return items * kernel_.item_sizes[0] % kLine == 0;
  }

  // Whether the output is large, has rows aligned to cache lines, and is not an
  // input.
  bool can_stream() const {
    const int last = args_.noperands - 1;
    const auto& out = args_.operands[last];
    if (kernel_.updates ||
        args_.size * kernel_.item_sizes[last] < cpu::kStreamBytes ||
        strides_[last] != kernel_.item_sizes[last]) {
      return false;
    }
    auto lines = reinterpret_cast<uintptr_t>(out.data);
    for (int axis = 0; axis < inner_; ++axis) {
      lines |= static_cast<uintptr_t>(out.strides[axis]);
    }
    if (lines % kLine != 0) return false;
    for (int k = 0; k < last; ++k) {
      if (args_.operands[k].data == out.data) return false;
    }
    return true;
  }

  // One row of n elements: the operands' addresses in `data` and their strides.
  void run_row(char* const* data, const int64_t* strides, int64_t n,
               bool non_temporal) const {
    if (kernel_.copies) return copy_row(data, strides, n, non_temporal);
    const int last = kernel_.noperands - 1;
    int buffered[kMaxOperands];
    int nbuffered = 0;
    for (int k = 0; k < kernel_.noperands; ++k) {
      // A kernel that cannot stream writes to a buffer, which is then streamed.
      const bool stages = k == last && non_temporal && !kernel_.streams;
      if (strides[k] != kernel_.item_sizes[k] || stages) {
        buffered[nbuffered++] = k;
      }
    }
    if (nbuffered == 0 || n == 1) {
      return kernel_.run(data, n, args_.op, non_temporal);
    }
    const bool buffers_out = buffered[nbuffered - 1] == last;

    alignas(64) char buffers[kMaxOperands][kBlock * 8];
    char* at[kMaxOperands];
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      const int64_t m = std::min(kBlock, n - begin);
      for (int k = 0; k < kernel_.noperands; ++k) {
        at[k] = data[k] + begin * strides[k];
      }
      for (int b = 0; b < nbuffered; ++b) {
        const int k = buffered[b];
        const bool read = k < kernel_.ninputs || kernel_.updates;
        // A repeated element fills its buffer once.
        if (read && (strides[k] != 0 || begin == 0)) {
          cpu::move_items(kernel_.item_sizes[k], buffers[k],
                          kernel_.item_sizes[k], at[k], strides[k], m);
        }
        at[k] = buffers[k];
      }
      kernel_.run(at, m, args_.op, non_temporal && !buffers_out);
      for (int b = 0; b < nbuffered; ++b) {
        const int k = buffered[b];
        if (k < kernel_.ninputs) continue;
        const int64_t size = kernel_.item_sizes[k];
        char* to = data[k] + begin * strides[k];
        if (non_temporal) {
          cpu::stream_bytes(to, buffers[k], m * size);
        } else {
          cpu::move_items(size, to, strides[k], buffers[k], size, m);
        }
      }
    }
  }

  void copy_row(char* const* data, const int64_t* strides, int64_t n,
                bool non_temporal) const {
    const int64_t size = kernel_.item_sizes[0];
    if (non_temporal && strides[0] == size) {
      cpu::stream_bytes(data[1], data[0], n * size);
    } else if (non_temporal && strides[0] == -size) {
      cpu::stream_reversed(static_cast<int>(size), data[1], data[0], n);
    } else if (non_temporal) {
      alignas(64) char buffer[kBlock * 8];
      for (int64_t begin = 0; begin < n; begin += kBlock) {
        const int64_t m = std::min(kBlock, n - begin);
        cpu::move_items(size, buffer, size, data[0] + begin * strides[0],
                        strides[0], m);
        cpu::stream_bytes(data[1] + begin * size, buffer, m * size);
      }
    } else if (strides[0] != size || strides[1] != size) {
      cpu::move_items(size, data[1], strides[1], data[0], strides[0], n);
    } else {
      std::memcpy(data[1], data[0], n * size);
    }
  }

  // n elements of the last axis and all elements of the one before.
  void run_column(char* const* data, int64_t n, const Tile& tile,
                  const int* transposed, int ntransposed) const {
    alignas(64) char buffers[kMaxTransposed][kTileBytes];
    const int outer = inner_ - 1;
    const int64_t extent = args_.shape[outer];
    char* at[kMaxOperands];
    int64_t steps[kMaxOperands];  // from row to row
    int64_t strides[kMaxOperands];
    for (int k = 0; k < args_.noperands; ++k) {
      steps[k] = args_.operands[k].strides[outer];
      strides[k] = strides_[k];
    }
    for (int64_t begin = 0; begin < extent; begin += tile.outer) {
      const int64_t rows = std::min(tile.outer, extent - begin);
      for (int k = 0; k < args_.noperands; ++k) {
        at[k] = data[k] + begin * args_.operands[k].strides[outer];
      }
      if (lines_ != nullptr && are_lines(n) && are_lines(rows)) {
        const int64_t ahead = kTilesAhead * tile.outer;
        const bool is_inside = begin + ahead + tile.outer <= extent;
        lines_(kernel_.item_sizes[0], at[1], steps[1], at[0], strides_[0], n,
               rows, is_inside ? ahead * kernel_.item_sizes[0] : 0);
        continue;
      }
      if (begin + 2 * tile.outer <= extent) {
        for (int t = 0; t < ntransposed; ++t) {
          const int64_t bytes = tile.outer * kernel_.item_sizes[transposed[t]];
          cpu::prefetch_rows(at[transposed[t]] + bytes, strides_[transposed[t]],
                             n, bytes);
        }
      }
      for (int t = 0; t < ntransposed; ++t) {
        const int k = transposed[t];
        const int64_t size = kernel_.item_sizes[k];
        // One extra cache line, so that the rows of a buffer do not map to the
        // same cache sets.
        steps[k] = tile.inner * size + kLine;
        strides[k] = size;
        cpu::transpose_items(size, buffers[t], steps[k], at[k], strides_[k], n,
                             rows);
        at[k] = buffers[t];
      }
      for (int64_t i = 0; i < rows; ++i) {
        run_row(at, strides, n, stream_);
        for (int k = 0; k < args_.noperands; ++k) at[k] += steps[k];
      }
    }
  }

  const ElementwiseArgs& args_;
  const ElementwiseRow& kernel_;
  int inner_;
  int64_t strides_[kMaxOperands] = {};  // along the last axis
  bool stream_;
  decltype(TransposeLines::run) lines_ = nullptr;
};

// If the last axis is short, swaps it with the longest one.
bool lengthen_rows(ElementwiseArgs& args) {
  const int last = args.ndim - 1;
  if (args.shape[last] >= kShortRow) return false;
  const auto* longest = std::max_element(args.shape, args.shape + args.ndim);
  if (*longest < 4 * args.shape[last]) return false;
  move_to(args, static_cast<int>(longest - args.shape), last);
  return true;
}

// The axis along which an input is contiguous although its rows are not; -1 if
// there is none.
int find_transposed_axis(const ElementwiseArgs& args,
                         const ElementwiseRow& kernel, int operand) {
  const int last = args.ndim - 1;
  const int64_t size = kernel.item_sizes[operand];
  const int64_t* strides = args.operands[operand].strides;
  if (strides[last] == size || strides[last] == 0) return -1;
  for (int axis = 0; axis < last; ++axis) {
    if (strides[axis] == size && args.shape[axis] >= kMinTile) return axis;
  }
  return -1;
}

void run_axes(const ElementwiseArgs& args, const ElementwiseRow& kernel) {
  ElementwiseArgs ordered = args;
  const bool is_lengthened = lengthen_rows(ordered);
  const int last = args.ndim - 1;
  int axis = -1;
  if (!is_lengthened && ordered.shape[last] >= kMinTile) {
    for (int k = 0; k < kernel.ninputs && axis < 0; ++k) {
      axis = find_transposed_axis(ordered, kernel, k);
    }
  }
  if (axis < 0) return Rows(ordered, kernel).run();
  move_to(ordered, axis, last - 1);
  int transposed[kMaxTransposed];
  int ntransposed = 0;
  for (int k = 0; k < kernel.ninputs && ntransposed < kMaxTransposed; ++k) {
    if (find_transposed_axis(ordered, kernel, k) == last - 1)
      transposed[ntransposed++] = k;
  }
  Rows(ordered, kernel).run_tiles(transposed, ntransposed);
}

}  // namespace

void run_elementwise_rows(const ElementwiseArgs& args,
                          const ElementwiseRow& kernel) {
  if (args.size == 0) return;
  if (args.ndim > 1) return run_axes(args, kernel);
  if (args.size < 2 * kGrain) {
    // Small arrays are the most frequent, so first check for the simple case.
    char* data[kMaxOperands];
    bool is_contiguous = true;
    for (int k = 0; k < args.noperands; ++k) {
      data[k] = args.operands[k].data;
      is_contiguous &= args.operands[k].strides[0] == kernel.item_sizes[k];
    }
    if (is_contiguous) return kernel.run(data, args.size, args.op, false);
  }
  Rows(args, kernel).run_flat();
}

}  // namespace catena::kernels
