#pragma once

// CUDA channel kernels.

#include <algorithm>
#include <cstdint>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/cuda/element.cuh"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/cuda/launch.h"
#include "catena/functions/normalization/internal/channel_args.h"

namespace catena::kernels::CATENA_BACKEND {

struct TwoSums {
  double first;
  double second;
};

// The terms of the moments: x and x^2 relative to the channel's first element,
// which is close enough to the mean to avoid cancellation.
template <class S>
struct MomentTerms {
  using E = catena::cuda::Compute<S>;

  E shift;

  __device__ MomentTerms(const functions::ChannelArgs& args, int64_t channel)
      : shift(catena::cuda::widen(
            static_cast<const S*>(args.x)[channel * args.inner])) {}
  __device__ void add(const functions::ChannelArgs& args, int64_t offset,
                      E& first, E& second) const {
    const E d =
        catena::cuda::widen(static_cast<const S*>(args.x)[offset]) - shift;
    first += d;
    second += d * d;
  }
  __device__ TwoSums result(const TwoSums& sums, double count) const {
    const double mean = sums.first / count;
    return {shift + mean, max(sums.second / count - mean * mean, 0.0)};
  }
};

template <class S>
struct ProductTerms {
  using E = catena::cuda::Compute<S>;

  E center;

  __device__ ProductTerms(const functions::ChannelArgs& args, int64_t channel)
      : center(static_cast<const E*>(args.center)[channel]) {}
  __device__ void add(const functions::ChannelArgs& args, int64_t offset,
                      E& first, E& second) const {
    const E x = catena::cuda::widen(static_cast<const S*>(args.x)[offset]);
    const E gy = catena::cuda::widen(static_cast<const S*>(args.gy)[offset]);
    first += gy;
    second += gy * (x - center);
  }
  __device__ TwoSums result(const TwoSums& sums, double) const { return sums; }
};

// A block reduces 2^log_width channels, which are adjacent in memory if there
// are several.
template <class Terms, class E, int log_width>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    reduce_channels(functions::ChannelArgs args) {
  constexpr int kWidth = 1 << log_width;
  constexpr int kLogLanes = 8 - log_width;
  static_assert(kWidth << kLogLanes == catena::cuda::kBlockThreads);
  __shared__ TwoSums shared[catena::cuda::kBlockThreads];
  const int64_t channel = int64_t{blockIdx.x} * kWidth + threadIdx.x % kWidth;
  const int64_t count = args.outer * args.inner;
  const bool valid = channel < args.channels;
  E first(0);
  E second(0);
  if (valid && count > 0) {
    const Terms terms(args, channel);
    for (int64_t i = threadIdx.x / kWidth; i < count; i += 1 << kLogLanes) {
      const int64_t o = log_width > 0 ? i : i / args.inner;
      const int64_t offset =
          (o * args.channels + channel) * args.inner + (i - o * args.inner);
      terms.add(args, offset, first, second);
    }
  }
  const TwoSums sums = catena::cuda::combine_columns(
      TwoSums{first, second}, kLogLanes, kWidth, shared,
      [](const TwoSums& a, const TwoSums& b) {
        return TwoSums{a.first + b.first, a.second + b.second};
      });
  if (valid && threadIdx.x < kWidth) {
    TwoSums result = {0, 0};
    if (count > 0) {
      result = Terms(args, channel).result(sums, static_cast<double>(count));
    }
    static_cast<E*>(args.first)[channel] = static_cast<E>(result.first);
    static_cast<E*>(args.second)[channel] = static_cast<E>(result.second);
  }
}

template <class S>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    affine_channels(functions::ChannelArgs args) {
  using E = catena::cuda::Compute<S>;
  const int64_t count = args.outer * args.channels * args.inner;
  const auto* center = static_cast<const E*>(args.center);
  const auto* x_factor = static_cast<const E*>(args.x_factor);
  const auto* gy_factor = static_cast<const E*>(args.gy_factor);
  const auto* offset = static_cast<const E*>(args.offset);
  for (int64_t i = catena::cuda::first_item(); i < count;
       i += catena::cuda::item_step()) {
    const int64_t c = i / args.inner % args.channels;
    const E x = catena::cuda::widen(static_cast<const S*>(args.x)[i]);
    E y = x_factor[c] * (x - center[c]) + offset[c];
    if (args.gy != nullptr) {
      y +=
          gy_factor[c] * catena::cuda::widen(static_cast<const S*>(args.gy)[i]);
    }
    static_cast<S*>(args.y)[i] = catena::cuda::narrow<S>(y);
  }
}

template <class S>
class ChannelLoop {
 public:
  static void moments(const functions::ChannelArgs& args) {
    reduce<MomentTerms<S>>(args);
  }
  static void sums(const functions::ChannelArgs& args) {
    reduce<ProductTerms<S>>(args);
  }
  static void affine(const functions::ChannelArgs& args) {
    catena::cuda::launch_over(affine_channels<S>,
                              args.outer * args.channels * args.inner,
                              args.device.index(), args);
  }

 private:
  using E = catena::cuda::Compute<S>;

  template <class Terms>
  static void reduce(const functions::ChannelArgs& args) {
    constexpr int kLogWidth = 5;
    if (args.inner == 1) {
      launch(&reduce_channels<Terms, E, kLogWidth>,
             catena::cuda::ceil_divide(args.channels, 1 << kLogWidth), args);
    } else {
      launch(&reduce_channels<Terms, E, 0>, args.channels, args);
    }
  }

  static void launch(void (*kernel)(functions::ChannelArgs), int64_t blocks,
                     const functions::ChannelArgs& args) {
    if (blocks == 0) return;
    catena::cuda::launch(kernel, blocks, catena::cuda::kBlockThreads,
                         args.device.index(), args);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
