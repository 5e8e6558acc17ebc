#pragma once

// CUDA channel kernels.

#include <algorithm>
#include <cstdint>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/cuda/element.cuh"
#include "catena/array/cuda/grid_loop.cuh"
#include "catena/cuda/device_memory.h"
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

// The threads of a block that reduce 2^log_width channels, which are adjacent
// in memory if there are several.
template <int log_width>
struct ChannelThreads {
  static constexpr int kWidth = 1 << log_width;
  static constexpr int kLogLanes = 8 - log_width;
  static constexpr int kLanes = 1 << kLogLanes;
  static_assert(kWidth * kLanes == catena::cuda::kBlockThreads);

  static __device__ int lane() { return threadIdx.x / kWidth; }
  static __device__ int64_t channel(int64_t group) {
    return group * kWidth + threadIdx.x % kWidth;
  }
  // Returns the sum of the lanes to the first of them. Every thread of the
  // block must call it.
  static __device__ TwoSums sum(const TwoSums& sums, TwoSums* shared) {
    return catena::cuda::combine_columns(
        sums, kLogLanes, kWidth, shared,
        [](const TwoSums& a, const TwoSums& b) {
          return TwoSums{a.first + b.first, a.second + b.second};
        });
  }
};

template <class Terms, class E>
__device__ void write_result(const functions::ChannelArgs& args,
                             int64_t channel, const TwoSums& sums) {
  const int64_t count = args.outer * args.inner;
  TwoSums result = {0, 0};
  if (count > 0) {
    result = Terms(args, channel).result(sums, static_cast<double>(count));
  }
  static_cast<E*>(args.first)[channel] = static_cast<E>(result.first);
  static_cast<E*>(args.second)[channel] = static_cast<E>(result.second);
}

// The elements of channels, divided into `count` parts of `size`.
struct ChannelParts {
  unsigned int count;
  int64_t size;
  TwoSums* sums;  // (count, channels); null for one part
};

// A block sums a part of its channels.
template <class Terms, class E, int log_width>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    reduce_channels(functions::ChannelArgs args, ChannelParts parts) {
  using Threads = ChannelThreads<log_width>;
  __shared__ TwoSums shared[catena::cuda::kBlockThreads];
  const unsigned int group = blockIdx.x / parts.count;
  const int64_t part = blockIdx.x - group * parts.count;
  const int64_t channel = Threads::channel(group);
  const int64_t begin = part * parts.size;
  const int64_t end = min(begin + parts.size, args.outer * args.inner);
  const bool valid = channel < args.channels;
  E first(0);
  E second(0);
  if (valid && begin < end) {
    const Terms terms(args, channel);
    for (int64_t i = begin + Threads::lane(); i < end; i += Threads::kLanes) {
      const int64_t o = log_width > 0 ? i : i / args.inner;
      const int64_t offset =
          (o * args.channels + channel) * args.inner + (i - o * args.inner);
      terms.add(args, offset, first, second);
    }
  }
  const TwoSums sum = Threads::sum({first, second}, shared);
  if (!valid || Threads::lane() > 0) return;
  if (parts.sums != nullptr) {
    parts.sums[part * args.channels + channel] = sum;
  } else {
    write_result<Terms, E>(args, channel, sum);
  }
}

// Adds up the parts.
template <class Terms, class E, int log_width>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    add_parts(functions::ChannelArgs args, ChannelParts parts) {
  using Threads = ChannelThreads<log_width>;
  __shared__ TwoSums shared[catena::cuda::kBlockThreads];
  const int64_t channel = Threads::channel(blockIdx.x);
  const bool valid = channel < args.channels;
  TwoSums own = {0, 0};
  if (valid) {
    for (unsigned int part = Threads::lane(); part < parts.count;
         part += Threads::kLanes) {
      const TwoSums& more = parts.sums[part * args.channels + channel];
      own = {own.first + more.first, own.second + more.second};
    }
  }
  const TwoSums sum = Threads::sum(own, shared);
  if (valid && Threads::lane() == 0) write_result<Terms, E>(args, channel, sum);
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

  static constexpr int kLogAdjacent = 5;

  template <class Terms>
  static void reduce(const functions::ChannelArgs& args) {
    if (args.channels == 0) return;
    if (args.inner == 1) {
      reduce_in_parts<Terms, kLogAdjacent>(args);
    } else {
      reduce_in_parts<Terms, 0>(args);
    }
  }

  // Few channels of many elements are divided, to have work for a whole GPU:
  // the same parts on each, so that results do not depend on its size.
  template <class Terms, int log_width>
  static void reduce_in_parts(const functions::ChannelArgs& args) {
    using Threads = ChannelThreads<log_width>;
    constexpr int64_t kBlocks = 1024;
    constexpr int64_t kPerLane = 32;
    const int64_t groups =
        catena::cuda::ceil_divide(args.channels, Threads::kWidth);
    const int64_t elements = args.outer * args.inner;
    const int64_t count = std::max<int64_t>(
        1, std::min(kBlocks / groups, elements / (Threads::kLanes * kPerLane)));
    const int device = args.device.index();
    const int64_t n_sums = count == 1 ? 0 : count * args.channels;
    const catena::cuda::Memory sums(
        n_sums * static_cast<int64_t>(sizeof(TwoSums)), device);
    const ChannelParts parts = {static_cast<unsigned int>(count),
                                catena::cuda::ceil_divide(elements, count),
                                static_cast<TwoSums*>(sums.ptr())};
    catena::cuda::launch(&reduce_channels<Terms, E, log_width>, groups * count,
                         catena::cuda::kBlockThreads, device, args, parts);
    if (count == 1) return;
    catena::cuda::launch(
        &add_parts<Terms, E, kLogAdjacent>,
        catena::cuda::ceil_divide(args.channels, 1 << kLogAdjacent),
        catena::cuda::kBlockThreads, device, args, parts);
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
