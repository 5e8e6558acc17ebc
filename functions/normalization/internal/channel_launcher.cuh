#pragma once

// CUDA channel kernels: statistics in two launches, scaling in one.

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/cuda/device_memory.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch.h"
#include "catena/cuda/launch_shape.h"
#include "catena/functions/normalization/internal/channel_args.h"
#include "catena/functions/normalization/internal/channel_columns.cuh"
#include "catena/functions/normalization/internal/channel_planes.cuh"
#include "catena/functions/normalization/internal/channel_terms.cuh"

namespace catena::kernels::CATENA_BACKEND {

// Adds the parts' sums up, 8 channels by 32 lanes a block, and finishes the
// channels.
inline constexpr int kFinishedChannels = 8;

template <class Terms>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    finish_channels(functions::ChannelArgs args, const double* sums,
                    unsigned int parts) {
  constexpr int kLogLanes = 5;
  constexpr int kLanes = 1 << kLogLanes;
  static_assert(kFinishedChannels * kLanes == catena::cuda::kBlockThreads);
  __shared__ PairOfSums shared[catena::cuda::kBlockThreads];
  const int64_t channel =
      int64_t{blockIdx.x} * kFinishedChannels + threadIdx.x % kFinishedChannels;
  const unsigned int lane = threadIdx.x / kFinishedChannels;
  PairOfSums own = {0, 0};
  if (channel < args.channels) {
    const double* const from = sums + channel;
#pragma unroll 4
    for (unsigned int part = lane; part < parts; part += kLanes) {
      own.first += from[int64_t{part} * 2 * args.channels];
      own.second += from[(int64_t{part} * 2 + 1) * args.channels];
    }
  }
  const PairOfSums sum = catena::cuda::combine_columns(
      own, kLogLanes, kFinishedChannels, shared,
      [](const PairOfSums& a, const PairOfSums& b) {
        return PairOfSums{a.first + b.first, a.second + b.second};
      });
  if (channel < args.channels && lane == 0) {
    Terms::finish(args, channel, sum.first, sum.second);
  }
}

template <class S>
class ChannelLoop {
 public:
  static void moments(const functions::ChannelArgs& args) {
    reduce<MomentTerms<S>>(args);
  }
  static void sums(const functions::ChannelArgs& args) {
    if (args.mask == nullptr) {
      reduce<ProductTerms<S, 2>>(args);
    } else {
      reduce<ProductTerms<S, 3>>(args);
    }
  }
  static void affine(const functions::ChannelArgs& args) {
    if (args.outer * args.channels * args.inner == 0) return;
    if (args.other == nullptr) {
      scale<1>(args);
    } else if (args.mask == nullptr) {
      scale<2>(args);
    } else {
      scale<3>(args);
    }
  }

 private:
  static constexpr int kPack = catena::cuda::kWidestPack<S>;
  // Enough for a GPU, however few registers a kernel leaves; fixed, so that
  // sums are the same on each.
  static constexpr int64_t kReducingBlocks = 1024;
  // What a thread reads at least; with less, adding up the sums of parts would
  // cost as much as adding the elements.
  static constexpr int64_t kLeastPerThread = 16;

  static bool are_aligned(std::initializer_list<const void*> arrays) {
    return std::all_of(arrays.begin(), arrays.end(), [](const void* data) {
      return reinterpret_cast<uintptr_t>(data) % 16 == 0;
    });
  }
  static bool are_columns_packs(const functions::ChannelArgs& args) {
    return args.channels % kPack == 0 &&
           are_aligned({args.x, args.other, args.mask, args.center,
                        args.x_factor, args.other_factor, args.offset, args.y,
                        args.masked});
  }
  static bool are_planes_packs(const functions::ChannelArgs& args) {
    return args.inner >= 2 * kPack &&
           are_aligned({args.x, args.other, args.mask});
  }

  template <class Terms>
  static void reduce(const functions::ChannelArgs& args) {
    if (args.channels == 0) return;
    if (args.outer * args.inner == 0) {
      finish<Terms>(args, nullptr, 0);
    } else if (args.inner == 1) {
      if (are_columns_packs(args)) {
        reduce_columns_of<Terms, kPack>(args);
      } else {
        reduce_columns_of<Terms, 1>(args);
      }
    } else if (are_planes_packs(args)) {
      reduce_planes_of<Terms, kPack>(args);
    } else {
      reduce_planes_of<Terms, 1>(args);
    }
  }

  template <class Terms, int kSize>
  static void reduce_columns_of(const functions::ChannelArgs& args) {
    const ColumnParts parts(args.channels / kSize, args.outer, kLeastPerThread,
                            kReducingBlocks);
    const catena::cuda::Memory sums = memory_for(args, parts.count);
    auto* const data = static_cast<double*>(sums.ptr());
    catena::cuda::launch(&reduce_columns<Terms, S, kSize>, parts.blocks(),
                         catena::cuda::kBlockThreads, args.device.index(), args,
                         parts, data);
    finish<Terms>(args, data, parts.count);
  }

  template <class Terms, int kSize>
  static void reduce_planes_of(const functions::ChannelArgs& args) {
    const PlaneParts parts(args, kSize, kLeastPerThread, kReducingBlocks);
    const catena::cuda::Memory sums = memory_for(args, parts.count);
    auto* const data = static_cast<double*>(sums.ptr());
    catena::cuda::launch(
        &reduce_planes<Terms, S, kSize>, args.channels * parts.count,
        catena::cuda::kBlockThreads, args.device.index(), args, parts, data);
    finish<Terms>(args, data, parts.count);
  }

  static catena::cuda::Memory memory_for(const functions::ChannelArgs& args,
                                         unsigned int parts) {
    return {args.channels * parts * 2 * static_cast<int64_t>(sizeof(double)),
            args.device.index()};
  }

  template <class Terms>
  static void finish(const functions::ChannelArgs& args, const double* sums,
                     unsigned int parts) {
    catena::cuda::launch(
        &finish_channels<Terms>,
        catena::cuda::ceil_divide(args.channels, kFinishedChannels),
        catena::cuda::kBlockThreads, args.device.index(), args, sums, parts);
  }

  template <int inputs>
  static void scale(const functions::ChannelArgs& args) {
    if (args.inner == 1) {
      if (are_columns_packs(args)) {
        scale_columns<inputs, kPack>(args);
      } else {
        scale_columns<inputs, 1>(args);
      }
    } else if (are_aligned(
                   {args.x, args.other, args.mask, args.y, args.masked})) {
      scale_planes<inputs, kPack>(args);
    } else {
      scale_planes<inputs, 1>(args);
    }
  }

  template <int inputs, int kSize>
  static void scale_columns(const functions::ChannelArgs& args) {
    const auto kernel = &affine_columns<S, inputs, kSize>;
    const int device = args.device.index();
    // As many as run at once: each block reads its channels' numbers, and a few
    // more blocks would run alone in the end.
    const ColumnParts parts = ColumnParts::at_most(
        args.channels / kSize, args.outer, kPacksInFlight<inputs>,
        catena::cuda::resident_blocks(kernel, catena::cuda::kBlockThreads,
                                      device));
    catena::cuda::launch(kernel, parts.blocks(), catena::cuda::kBlockThreads,
                         device, args, parts);
  }

  template <int inputs, int kSize>
  static void scale_planes(const functions::ChannelArgs& args) {
    const int64_t packs = args.outer * args.channels * args.inner / kSize;
    catena::cuda::launch(
        &affine_planes<S, inputs, kSize>,
        std::max<int64_t>(1, catena::cuda::ceil_divide(packs, kAffineBlock)),
        catena::cuda::kBlockThreads, args.device.index(), args,
        NearDivider(args.inner), NearDivider(args.channels));
  }
};

}  // namespace catena::kernels::CATENA_BACKEND
