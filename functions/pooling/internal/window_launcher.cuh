#pragma once

// CUDA kernels of pooling over one or two axes. A thread computes one position
// of an image, or of adjacent channels if those are last, and has several
// elements of its window in flight. Other windows are SpanLoop's.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "catena/array/cuda/fast_divider.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/cuda/load_if.cuh"
#include "catena/functions/engines/spans/span_args.h"
#include "catena/functions/engines/spans/span_launcher.cuh"
#include "catena/functions/pooling/internal/window_ops.h"

namespace catena::kernels::CATENA_BACKEND {

// Windows over images (count, height, width, channels), along the middle axes,
// whose arrays have fewer than 2^31 elements.
struct ImageWindows {
  struct Axis {
    int in;
    int out;
    int size;
    int stride;
    int pad;
  };
  Axis y;
  Axis x;
  int channels;
  // Results are numbered by (image, y, x, pack of channels).
  unsigned int count;
  catena::cuda::FastDivider packs;
  catena::cuda::FastDivider columns;
  catena::cuda::FastDivider rows;
};

// The positions [begin, end) of a window, or of the windows that contain a
// position.
struct WindowRange {
  int begin;
  int end;

  static __device__ WindowRange of_window(const ImageWindows::Axis& axis,
                                          int output) {
    const int first = output * axis.stride - axis.pad;
    return {max(first, 0), min(first + axis.size, axis.in)};
  }
  static __device__ WindowRange of_input(const ImageWindows::Axis& axis,
                                         int input) {
    const int last = input + axis.pad;
    const int before = last - axis.size;  // in no window up to this
    return {before < 0 ? 0 : before / axis.stride + 1,
            min(last / axis.stride + 1, axis.out)};
  }
};

// The packs that windows read, kAtOnce of them before the first is used: calls
// load(y, x, slot, exists) for each position, in C order or, if kReversed, from
// the last to the first, and then take(y, x, slot). `exists` is false past
// the last position.
template <int kAtOnce, bool kReversed, class Load, class Take>
__device__ __forceinline__ void each_position(const WindowRange& ys,
                                              const WindowRange& xs,
                                              const Load& load,
                                              const Take& take) {
  const int width = xs.end - xs.begin;
  if (width <= 0) return;
  int y = kReversed ? ys.end - 1 : ys.begin;
  int x = kReversed ? xs.end - 1 : xs.begin;
  const auto is_left = [&](int row) {
    return kReversed ? row >= ys.begin : row < ys.end;
  };
  while (is_left(y)) {
    int at_y[kAtOnce];
    int at_x[kAtOnce];
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      at_y[u] = y;
      at_x[u] = x;
      load(y, x, u, is_left(y));
      if constexpr (kReversed) {
        if (--x < xs.begin) x = xs.end - 1, --y;
      } else {
        if (++x == xs.end) x = xs.begin, ++y;
      }
    }
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      if (is_left(at_y[u])) take(at_y[u], at_x[u], u);
    }
  }
}

// A result's place.
struct ImagePlace {
  int image;
  int y;
  int x;
  int channel;

  __device__ ImagePlace(const ImageWindows& w, unsigned int i, int pack) {
    const unsigned int position = w.packs.divide(i);
    channel = static_cast<int>(i - position * w.packs.divisor()) * pack;
    const unsigned int row = w.columns.divide(position);
    x = static_cast<int>(position - row * w.columns.divisor());
    image = static_cast<int>(w.rows.divide(row));
    y = static_cast<int>(row) - image * static_cast<int>(w.rows.divisor());
  }
};

template <class S, int kSize>
struct WindowPack {
  using E = catena::cuda::Compute<S>;
  E values[kSize];

  explicit __device__ WindowPack(E value) {
#pragma unroll
    for (int j = 0; j < kSize; ++j) values[j] = value;
  }
  __device__ void add(const catena::cuda::Pack<S, kSize>& more) {
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      values[j] += catena::cuda::widen(more.elements[j]);
    }
  }
  __device__ void store(void* to, unsigned int offset, E factor) {
#pragma unroll
    for (int j = 0; j < kSize; ++j) values[j] *= factor;
    catena::cuda::store_pack(static_cast<S*>(to) + offset,
                             catena::cuda::narrow<S>(values));
  }
};

inline constexpr int kPositionsAtOnce = 4;

// Numbers of taps, in packs of up to 16 bytes.
template <int kSize>
inline constexpr int kTapPack = kSize < 4 ? kSize : 4;
template <int kSize>
__device__ __forceinline__ void load_taps_if(bool wanted, const int32_t* from,
                                             int offset,
                                             int32_t (&taps)[kSize]) {
#pragma unroll
  for (int j = 0; j < kSize; j += kTapPack<kSize>) {
    catena::cuda::Pack<int32_t, kTapPack<kSize>> pack = {};
    catena::cuda::load_pack_if(wanted, from, offset + j, pack);
#pragma unroll
    for (int i = 0; i < kTapPack<kSize>; ++i) taps[j + i] = pack.elements[i];
  }
}
template <int kSize>
__device__ __forceinline__ void store_taps(int32_t* to,
                                           const int32_t (&taps)[kSize]) {
#pragma unroll
  for (int j = 0; j < kSize; j += kTapPack<kSize>) {
    catena::cuda::Pack<int32_t, kTapPack<kSize>> pack;
#pragma unroll
    for (int i = 0; i < kTapPack<kSize>; ++i) pack.elements[i] = taps[j + i];
    catena::cuda::store_pack(to + j, pack);
  }
}

// The functors of window_ops.h for one result; elements are in the same order,
// so that results have the same bits.
template <class S, int kSize>
struct WindowResult {
  using E = catena::cuda::Compute<S>;
  using Pack = catena::cuda::Pack<S, kSize>;

  const ImageWindows& w;
  ImagePlace at;
  unsigned int offset;  // of the result

  __device__ WindowResult(const ImageWindows& w, unsigned int i)
      : w(w), at(w, i, kSize), offset(i * kSize) {}

  // Without a branch, so that several are in flight.
  __device__ void read(const void* from, int offset, bool exists,
                       Pack& pack) const {
    catena::cuda::load_pack_if(exists, static_cast<const S*>(from), offset,
                               pack);
  }
  __device__ int element(int extent_y, int extent_x, int y, int x) const {
    return ((at.image * extent_y + y) * extent_x + x) * w.channels + at.channel;
  }

  __device__ void operator()(const functions::WindowMax& op) const {
    WindowPack<S, kSize> best(-std::numeric_limits<E>::infinity());
    int32_t taps[kSize] = {};
    const int first_y = at.y * w.y.stride - w.y.pad;
    const int first_x = at.x * w.x.stride - w.x.pad;
    Pack packs[kPositionsAtOnce] = {};
    each_position<kPositionsAtOnce, false>(
        WindowRange::of_window(w.y, at.y), WindowRange::of_window(w.x, at.x),
        [&](int y, int x, int slot, bool exists) {
          read(op.x, element(w.y.in, w.x.in, y, x), exists, packs[slot]);
        },
        [&](int y, int x, int slot) {
          const int tap = (y - first_y) * w.x.size + x - first_x;
#pragma unroll
          for (int j = 0; j < kSize; ++j) {
            const E v = catena::cuda::widen(packs[slot].elements[j]);
            E& held = best.values[j];
            const bool larger = !(v <= held) & (held == held);
            held = larger ? v : held;
            taps[j] = larger ? tap : taps[j];
          }
        });
    best.store(op.y, offset, E(1));
    if (op.taps != nullptr) store_taps(op.taps + offset, taps);
  }

  __device__ void operator()(const functions::WindowSum& op) const {
    WindowPack<S, kSize> sum(E(0));
    Pack packs[kPositionsAtOnce] = {};
    each_position<kPositionsAtOnce, false>(
        WindowRange::of_window(w.y, at.y), WindowRange::of_window(w.x, at.x),
        [&](int y, int x, int slot, bool exists) {
          read(op.x, element(w.y.in, w.x.in, y, x), exists, packs[slot]);
        },
        [&](int, int, int slot) { sum.add(packs[slot]); });
    sum.store(op.y, offset, static_cast<E>(op.factor));
  }

  __device__ void operator()(const functions::WindowSpread& op) const {
    WindowPack<S, kSize> sum(E(0));
    Pack packs[kPositionsAtOnce] = {};
    each_position<kPositionsAtOnce, true>(
        WindowRange::of_input(w.y, at.y), WindowRange::of_input(w.x, at.x),
        [&](int y, int x, int slot, bool exists) {
          read(op.y, element(w.y.out, w.x.out, y, x), exists, packs[slot]);
        },
        [&](int, int, int slot) { sum.add(packs[slot]); });
    sum.store(op.x, offset, static_cast<E>(op.factor));
  }

  __device__ void operator()(const functions::WindowPlace& op) const {
    constexpr int kAtOnce = 2;
    WindowPack<S, kSize> sum(E(0));
    Pack packs[kAtOnce] = {};
    int32_t taps[kAtOnce][kSize];
    each_position<kAtOnce, true>(
        WindowRange::of_input(w.y, at.y), WindowRange::of_input(w.x, at.x),
        [&](int y, int x, int slot, bool exists) {
          const int from = element(w.y.out, w.x.out, y, x);
          read(op.y, from, exists, packs[slot]);
          load_taps_if(exists, op.taps, from, taps[slot]);
        },
        [&](int y, int x, int slot) {
          const int tap = (at.y + w.y.pad - y * w.y.stride) * w.x.size +
                          (at.x + w.x.pad - x * w.x.stride);
#pragma unroll
          for (int j = 0; j < kSize; ++j) {
            if (taps[slot][j] == tap) {
              sum.values[j] += catena::cuda::widen(packs[slot].elements[j]);
            }
          }
        });
    sum.store(op.x, offset, E(1));
  }
};

// The functors that WindowResult has.
template <class Op>
concept OfImageWindows = std::is_invocable_v<WindowResult<float, 1>, Op>;

template <class Op, class S, int kSize>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    window_kernel(Op op, ImageWindows windows) {
  const unsigned int i = blockIdx.x * catena::cuda::kBlockThreads + threadIdx.x;
  if (i < windows.count) WindowResult<S, kSize>(windows, i)(op);
}

template <class Op, class S>
class WindowLoop {
 public:
  // The kernel's entry in the slot's table.
  static void run(const functions::SpanArgs& args) {
    const Op& op = *static_cast<const Op*>(args.op);
    const functions::WindowArgs& w = op.window;
    const int64_t results = args.rows * args.width;
    if (!is_offered(w, results)) return SpanLoop<Op, S>::run(args);
    const int64_t channels = axes_of(w) < w.ndim ? w.in[w.last()] : 1;
    if (channels % kPack == 0 && is_aligned(op)) {
      launch<kPack>(args, op, channels, results);
    } else {
      launch<1>(args, op, channels, results);
    }
  }

 private:
  static constexpr int kPack = catena::cuda::kWidestPack<S>;
  static constexpr bool kIsOfInputs =
      std::is_same_v<Op, functions::WindowSpread> ||
      std::is_same_v<Op, functions::WindowPlace>;

  // The axes that windows extend along: images whose channels are last have one
  // more.
  static int axes_of(const functions::WindowArgs& w) {
    const int last = w.last();
    const bool is_trivial = w.ndim > 1 && w.size[last] == 1 &&
                            w.stride[last] == 1 && w.pad[last] == 0 &&
                            w.in[last] == w.out[last];
    return is_trivial ? last : w.ndim;
  }

  static bool is_offered(const functions::WindowArgs& w, int64_t results) {
    constexpr int64_t kMax = int64_t{1} << 30;
    const int axes = axes_of(w);
    if (axes > 2) return false;
    // Both the inputs' and the outputs' elements are numbered by 31 bits.
    const int64_t* const of_results = kIsOfInputs ? w.in : w.out;
    const int64_t* const others = kIsOfInputs ? w.out : w.in;
    const int64_t images =
        results / functions::WindowArgs::product(of_results, w.ndim);
    const int64_t of_image = functions::WindowArgs::product(others, w.ndim);
    if (results > kMax || images * of_image > kMax) return false;
    for (int d = 0; d < axes; ++d) {
      constexpr int64_t kMaxStep = kMax / 4;
      if (std::max({w.size[d], w.stride[d], w.pad[d]}) > kMaxStep) return false;
    }
    return true;
  }

  static bool is_aligned(const Op& op) {
    const auto aligned = [](const void* data) {
      return reinterpret_cast<uintptr_t>(data) % 16 == 0;
    };
    if (!aligned(op.x) || !aligned(op.y)) return false;
    if constexpr (requires { op.taps; }) return aligned(op.taps);
    return true;
  }

  template <int kSize>
  static void launch(const functions::SpanArgs& args, const Op& op,
                     int64_t channels, int64_t results) {
    const functions::WindowArgs& w = op.window;
    const int axes = axes_of(w);
    const auto axis = [&](int d) -> ImageWindows::Axis {
      const auto number = [](int64_t n) { return static_cast<int>(n); };
      if (d < 0) return {1, 1, 1, 1, 0};
      return {number(w.in[d]), number(w.out[d]), number(w.size[d]),
              number(w.stride[d]), number(w.pad[d])};
    };
    ImageWindows windows = {};
    windows.x = axis(axes - 1);
    windows.y = axis(axes - 2);
    windows.channels = static_cast<int>(channels);
    windows.count = static_cast<unsigned int>(results / kSize);
    const auto divider = [](int64_t n) {
      return catena::cuda::FastDivider(static_cast<uint32_t>(n));
    };
    windows.packs = divider(channels / kSize);
    windows.columns = divider(kIsOfInputs ? windows.x.in : windows.x.out);
    windows.rows = divider(kIsOfInputs ? windows.y.in : windows.y.out);
    catena::cuda::launch(
        &window_kernel<Op, S, kSize>,
        catena::cuda::ceil_divide(windows.count, catena::cuda::kBlockThreads),
        catena::cuda::kBlockThreads, args.device.index(), op, windows);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
