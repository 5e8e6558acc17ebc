#pragma once

// What CUDA channel kernels compute of an element.

#include <cstdint>

#include "catena/cuda/element.cuh"
#include "catena/cuda/load_if.cuh"
#include "catena/functions/normalization/internal/channel_args.h"
#include "catena/functions/normalization/internal/channel_finish.h"

namespace catena::kernels::CATENA_BACKEND {

// The arrays that a kernel reads, in this order.
__device__ inline const void* channel_input(const functions::ChannelArgs& args,
                                            int k) {
  return k == 0 ? args.x : k == 1 ? args.other : args.mask;
}

// The first `inputs` arrays, from an element on.
template <class S, int inputs>
struct ChannelInputs {
  const S* data[inputs];

  __device__ ChannelInputs(const functions::ChannelArgs& args, int64_t offset) {
#pragma unroll
    for (int k = 0; k < inputs; ++k) {
      data[k] = static_cast<const S*>(channel_input(args, k)) + offset;
    }
  }
};

using catena::cuda::kPacksInFlight;

// Packs of each input, as read.
template <class S, int inputs, int kSize>
struct ChannelPacks {
  catena::cuda::Pack<S, kSize> packs[inputs];

  __device__ void load(const ChannelInputs<S, inputs>& in, int64_t offset) {
#pragma unroll
    for (int k = 0; k < inputs; ++k) {
      packs[k] = catena::cuda::load_pack<kSize>(in.data[k] + offset);
    }
  }
  // Without a branch, so that those of several packs are in flight.
  __device__ void load_if(bool wanted, const ChannelInputs<S, inputs>& in,
                          int64_t offset) {
#pragma unroll
    for (int k = 0; k < inputs; ++k) {
      packs[k] = {};
      catena::cuda::load_pack_if(wanted, in.data[k] + offset, /*offset=*/0,
                                 packs[k]);
    }
  }
};

// An element of each input: x, the gradient or addend, and the mask.
template <class S, int inputs, int kSize>
__device__ __forceinline__ void element_of(
    const ChannelPacks<S, inputs, kSize>& from, int j,
    catena::cuda::Compute<S> (&values)[inputs]) {
#pragma unroll
  for (int k = 0; k < inputs; ++k) {
    values[k] = catena::cuda::widen(from.packs[k].elements[j]);
  }
}

// The numbers of kSize adjacent channels; those of more than one are aligned as
// packs are.
template <class E, int kSize>
__device__ __forceinline__ void load_numbers(const void* from, int64_t channel,
                                             E (&numbers)[kSize]) {
  constexpr int kPack = kSize == 1 ? 1 : catena::cuda::kWidestPack<E>;
  static_assert(kSize % kPack == 0);
#pragma unroll
  for (int j = 0; j < kSize; j += kPack) {
    const auto pack = catena::cuda::load_pack<kPack>(
        static_cast<const E*>(from) + channel + j);
#pragma unroll
    for (int i = 0; i < kPack; ++i) numbers[j + i] = pack.elements[i];
  }
}

// The terms of the moments: x and x^2 relative to the channel's first element,
// which is close enough to the mean to avoid cancellation.
template <class S>
struct MomentTerms {
  using E = catena::cuda::Compute<S>;
  static constexpr int kInputs = 1;

  // For kSize adjacent channels; if there are several, their elements are
  // adjacent.
  template <int kSize>
  static __device__ void centers(const functions::ChannelArgs& args,
                                 int64_t channel, E (&center)[kSize]) {
    catena::cuda::widen(
        catena::cuda::load_pack<kSize>(static_cast<const S*>(args.x) +
                                       channel * args.inner),
        center);
  }
  static __device__ void add(E center, const E (&in)[kInputs], E& first,
                             E& second) {
    const E d = in[0] - center;
    first += d;
    second += d * d;
  }
  static __device__ void finish(const functions::ChannelArgs& args,
                                int64_t channel, double first, double second) {
    const int64_t count = args.outer * args.inner;
    if (count == 0) return finish_moments<E>(args, channel, 0, 0);
    const double mean = first / static_cast<double>(count);
    const double variance = second / static_cast<double>(count) - mean * mean;
    E center[1];
    centers(args, channel, center);
    finish_moments<E>(args, channel, center[0] + mean,
                      variance < 0 ? 0 : variance);
  }
};

// Those of the sums; `inputs` is 3 with a mask.
template <class S, int inputs>
struct ProductTerms {
  using E = catena::cuda::Compute<S>;
  static constexpr int kInputs = inputs;

  template <int kSize>
  static __device__ void centers(const functions::ChannelArgs& args,
                                 int64_t channel, E (&center)[kSize]) {
    load_numbers(args.center, channel, center);
  }
  static __device__ void add(E center, const E (&in)[kInputs], E& first,
                             E& second) {
    E gradient = in[1];
    if constexpr (kInputs == 3) gradient = in[2] > E(0) ? gradient : E(0);
    first += gradient;
    second += gradient * (in[0] - center);
  }
  static __device__ void finish(const functions::ChannelArgs& args,
                                int64_t channel, double first, double second) {
    finish_sums<E>(args, channel, first, second);
  }
};

// The numbers that scale and shift a channel's elements.
template <class S, int inputs>
struct AffineNumbers {
  using E = catena::cuda::Compute<S>;

  E x_factor;
  E center;
  E offset;
  E other_factor;

  // Those of kSize adjacent channels.
  template <int kSize>
  static __device__ void load(const functions::ChannelArgs& args,
                              int64_t channel,
                              AffineNumbers (&numbers)[kSize]) {
    E values[4][kSize];
    load_numbers(args.x_factor, channel, values[0]);
    load_numbers(args.center, channel, values[1]);
    load_numbers(args.offset, channel, values[2]);
    const bool has_factor = inputs > 1 && args.other_factor != nullptr;
    if (has_factor) load_numbers(args.other_factor, channel, values[3]);
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      numbers[j] = {values[0][j], values[1][j], values[2][j],
                    has_factor ? values[3][j] : E(1)};
    }
  }

  // The result, and the addend as it counts.
  __device__ E apply(const E (&in)[inputs], E low, E& other) const {
    E y = x_factor * (in[0] - center) + offset;
    if constexpr (inputs > 1) {
      other = in[1];
      if constexpr (inputs == 3) other = in[2] > E(0) ? other : E(0);
      y += other_factor * other;
    }
    return y < low ? low : y;
  }
};

// Scaled and shifted packs, written to the results.
template <class S, int inputs, int kSize>
__device__ __forceinline__ void write_affine(
    const functions::ChannelArgs& args, int64_t offset,
    const catena::cuda::Compute<S> (&y)[kSize],
    const catena::cuda::Compute<S> (&other)[kSize]) {
  catena::cuda::store_pack(static_cast<S*>(args.y) + offset,
                           catena::cuda::narrow<S>(y));
  if constexpr (inputs == 3) {
    if (args.masked != nullptr) {
      catena::cuda::store_pack(static_cast<S*>(args.masked) + offset,
                               catena::cuda::narrow<S>(other));
    }
  }
}

}  // namespace catena::kernels::CATENA_BACKEND
