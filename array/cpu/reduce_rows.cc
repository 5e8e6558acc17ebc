#include "catena/array/cpu/reduce_rows.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "catena/array/core/memory_pool.h"
#include "catena/array/core/parallel.h"
#include "catena/array/core/strided_copy.h"

namespace catena::kernels {
namespace {

// The maximum row length of a kernel. Longer rows are halved until they fit and
// their states merged (pairwise summation), so that rounding errors do not grow
// with the length. Each row's end interrupts the stream from memory: with rows
// of 2,048 a thread reads 42 GB/s, with these 48 to 51, with endless ones 52.
constexpr int64_t kLeaf = 8192;

// The number of outputs whose states are kept at a time.
constexpr int64_t kRowRun = 256;
constexpr int64_t kColumnRun = 2048;

// The number of rows, of kRowRun elements, gathered for the kernel at a time.
constexpr int64_t kGatheredRows = 8;

// Narrower columns are widened by treating several rows as one.
constexpr int64_t kNarrow = 128;

// The minimum number of elements per thread, and per piece of a split range.
constexpr int64_t kGrain = 32768;
constexpr int64_t kPiece = 128 << 10;

int64_t distance(int64_t stride) {
  return stride == 0 ? std::numeric_limits<int64_t>::max() : std::abs(stride);
}

class Reduction {
 public:
  Reduction(const ReduceArgs& args, const RangeKernel& kernel)
      : args_(args),
        kernel_(kernel),
        kept_(args.kept[args.nkept - 1]),
        reduced_(args.reduced[args.nreduced - 1]) {
    choose_direction();
  }

  void run() const {
    const int64_t count = std::max<int64_t>(args_.count, 1);
    const int64_t piece = piece_length();
    if (args_.count > piece) return run_pieces(piece);
    if (args_.outputs * count < 2 * kGrain) return reduce(0, args_.outputs);
    catena::cpu::parallel_for(
        args_.outputs, std::max<int64_t>(1, kGrain / count),
        [&](int64_t begin, int64_t end) { reduce(begin, end); },
        /*align=*/by_columns_ ? 64 : 1);
  }

 private:
  // Whether to process elements along the reduced axis, one output after
  // another, or along the kept axis, many outputs at once: the axis with the
  // smaller stride.
  void choose_direction() {
    by_columns_ = distance(kept_.in_stride) < distance(reduced_.in_stride);
    widens_ = by_columns_ && kept_.in_stride == kernel_.item_size &&
              reduced_.in_stride == kept_.extent * kernel_.item_size &&
              kept_.extent < kNarrow && !kernel_.indexed;
    if (by_columns_) {
      by_columns_ = kept_.extent >= 16 || widens_;
    } else {
      by_columns_ = reduced_.extent < 8 && kept_.extent >= 64;
    }
    const bool gathers = kept_.in_stride != kernel_.item_size;
    run_length_ = by_columns_ && !gathers ? kColumnRun : kRowRun;
  }

  // The length of the pieces of the reduced range that threads share if there
  // are too few outputs.
  int64_t piece_length() const {
    if (args_.outputs >= (by_columns_ ? 1024 : 64)) {
      return std::numeric_limits<int64_t>::max();
    }
    const int64_t length = kPiece / std::max<int64_t>(args_.outputs, 1);
    return (length + 63) / 64 * 64;
  }

  // Outputs [begin, end) over the whole range.
  void reduce(int64_t begin, int64_t end) const {
    alignas(64) char states[kColumnRun * kMaxStateSize];
    for_each_run(begin, end,
                 [&](int64_t, const char* in, char* out, int64_t n) {
                   kernel_.start(states, n);
                   accumulate(in, n, 0, args_.count, states);
                   finish(states, out, n);
                 });
  }

  // All outputs over each piece of the range, then combine the pieces.
  void run_pieces(int64_t length) const {
    const int64_t pieces = (args_.count + length - 1) / length;
    const int64_t state_bytes = args_.outputs * kernel_.state_size;
    const catena::cpu::PoolBuffer<char> memory(pieces * state_bytes);
    char* const states = memory.get();
    catena::cpu::parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        char* own = states + piece * state_bytes;
        kernel_.start(own, args_.outputs);
        for_each_run(0, args_.outputs,
                     [&](int64_t index, const char* in, char*, int64_t n) {
                       accumulate(in, n, piece * length,
                                  std::min(args_.count, (piece + 1) * length),
                                  own + index * kernel_.state_size);
                     });
      }
    });
    for (int64_t width = 1; width < pieces; width *= 2) {
      for (int64_t i = 0; i + width < pieces; i += 2 * width) {
        kernel_.merge(states + i * state_bytes,
                      states + (i + width) * state_bytes, args_.outputs);
      }
    }
    for_each_run(0, args_.outputs,
                 [&](int64_t index, const char*, char* out, int64_t n) {
                   finish(states + index * kernel_.state_size, out, n);
                 });
  }

  // Calls visit(index, in, out, n) for runs of outputs along the last kept
  // axis.
  template <class Visit>
  void for_each_run(int64_t begin, int64_t end, Visit visit) const {
    while (begin < end) {
      const char* in = args_.input;
      char* out = args_.output;
      int64_t rest = begin;
      int64_t left = 0;
      for (int axis = args_.nkept - 1; axis >= 0; --axis) {
        const ReduceArgs::Kept& kept = args_.kept[axis];
        const int64_t position = rest % kept.extent;
        if (axis == args_.nkept - 1) left = kept.extent - position;
        rest /= kept.extent;
        in += position * kept.in_stride;
        out += position * kept.out_stride;
      }
      const int64_t n = std::min({left, end - begin, run_length_});
      visit(begin, in, out, n);
      begin += n;
    }
  }

  // Reduces positions [begin, end) of the range of n outputs.
  void accumulate(const char* in, int64_t n, int64_t begin, int64_t end,
                  char* states) const {
    while (begin < end) {
      const char* data = in;
      int64_t rest = begin;
      for (int axis = args_.nreduced - 1; axis >= 0; --axis) {
        const ReduceArgs::Reduced& reduced = args_.reduced[axis];
        data += rest % reduced.extent * reduced.in_stride;
        rest /= reduced.extent;
      }
      const int64_t length =
          std::min(end - begin, reduced_.extent - begin % reduced_.extent);
      if (by_columns_) {
        accumulate_columns(data, n, length, begin, states);
      } else {
        accumulate_rows(data, n, length, begin, states);
      }
      begin += length;
    }
  }

  // The next two process `length` positions of the last reduced axis, starting
  // at `data`.
  void accumulate_rows(const char* data, int64_t n, int64_t length,
                       int64_t first, char* states) const {
    // Exact reductions may be accumulated in order.
    const int64_t leaf = kernel_.indexed ? length : kLeaf;
    if (length <= leaf && reduced_.in_stride == kernel_.item_size) {
      return kernel_.rows(data, kept_.in_stride, n, length, first, states);
    }
    for (int64_t i = 0; i < n; ++i) {
      accumulate_row(data + i * kept_.in_stride, length, first,
                     states + i * kernel_.state_size);
    }
  }

  void accumulate_row(const char* data, int64_t length, int64_t first,
                      char* state) const {
    if (length > kLeaf) {
      const int64_t half = (length / 2 + kLeaf - 1) / kLeaf * kLeaf;
      alignas(16) char other[kMaxStateSize];
      kernel_.start(other, 1);
      accumulate_row(data, half, first, state);
      accumulate_row(data + half * reduced_.in_stride, length - half,
                     first + half, other);
      kernel_.merge(state, other, 1);
    } else if (reduced_.in_stride == kernel_.item_size) {
      kernel_.rows(data, 0, 1, length, first, state);
    } else {
      alignas(64) char buffer[kLeaf * 8];
      cpu::move_items(kernel_.item_size, buffer, kernel_.item_size, data,
                      reduced_.in_stride, length);
      kernel_.rows(buffer, 0, 1, length, first, state);
    }
  }

  void accumulate_columns(const char* data, int64_t n, int64_t length,
                          int64_t first, char* states) const {
    if (widens_ && n == kept_.extent) {
      return accumulate_narrow(data, n, length, states);
    }
    if (kept_.in_stride == kernel_.item_size) {
      return kernel_.columns(data, reduced_.in_stride, length, n, first,
                             states);
    }
    alignas(64) char buffer[kGatheredRows * kRowRun * 8];
    const int64_t row_bytes = n * kernel_.item_size;
    for (int64_t begin = 0; begin < length; begin += kGatheredRows) {
      const int64_t rows = std::min(kGatheredRows, length - begin);
      for (int64_t r = 0; r < rows; ++r) {
        cpu::move_items(
            kernel_.item_size, buffer + r * row_bytes, kernel_.item_size,
            data + (begin + r) * reduced_.in_stride, kept_.in_stride, n);
      }
      kernel_.columns(buffer, row_bytes, rows, n, first + begin, states);
    }
  }

  // Contiguous rows, `group` of them treated as one.
  void accumulate_narrow(const char* data, int64_t n, int64_t length,
                         char* states) const {
    alignas(64) char wide[4 * kNarrow * kMaxStateSize];
    const int64_t group = std::min(4 * kNarrow / n, length);
    const int64_t rows = length / group;
    const int64_t rest = length - rows * group;
    const int64_t row_bytes = n * kernel_.item_size;
    kernel_.start(wide, group * n);
    kernel_.columns(data, group * row_bytes, rows, group * n, 0, wide);
    kernel_.columns(data + rows * group * row_bytes, 0, 1, rest * n, 0, wide);
    for (int64_t g = 0; g < group; ++g) {
      kernel_.merge(states, wide + g * n * kernel_.state_size, n);
    }
  }

  void finish(const char* states, char* out, int64_t n) const {
    const int64_t size = kernel_.result_size;
    if (n == 1 || kept_.out_stride == size) {
      return kernel_.finish(states, n, args_.count, out);
    }
    alignas(64) char results[kColumnRun * 8];
    kernel_.finish(states, n, args_.count, results);
    cpu::move_items(size, out, kept_.out_stride, results, size, n);
  }

  const ReduceArgs& args_;
  const RangeKernel& kernel_;
  const ReduceArgs::Kept& kept_;  // the last axes
  const ReduceArgs::Reduced& reduced_;
  bool by_columns_;
  bool widens_;
  int64_t run_length_;
};

}  // namespace

void run_reduction(const ReduceArgs& args, const RangeKernel& kernel) {
  Reduction(args, kernel).run();
}

}  // namespace catena::kernels
