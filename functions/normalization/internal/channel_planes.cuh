#pragma once

// CUDA kernels for channels in C order: the elements of a channel are `outer`
// planes of `inner` adjacent ones, which begin anywhere in a pack.

#include <algorithm>
#include <cstdint>

#include "catena/array/cuda/block_combine.cuh"
#include "catena/array/cuda/fast_divider.h"
#include "catena/cuda/element.cuh"
#include "catena/cuda/launch_shape.h"
#include "catena/functions/normalization/internal/channel_args.h"
#include "catena/functions/normalization/internal/channel_terms.cuh"

namespace catena::kernels::CATENA_BACKEND {

// Divides numbers below divisor + kNear without a 64-bit division.
class NearDivider {
 public:
  static constexpr int64_t kNear = int64_t{1} << 30;

  explicit NearDivider(int64_t divisor)
      : fast_(static_cast<uint32_t>(std::min(divisor, kNear))),
        divisor_(divisor) {}

  CATENA_HOST_DEVICE int64_t divide(int64_t n) const {
    const int64_t near = fast_.divide(static_cast<uint32_t>(n));
    return divisor_ > kNear ? int64_t{n >= divisor_} : near;
  }
  CATENA_HOST_DEVICE int64_t divisor() const { return divisor_; }

 private:
  catena::cuda::FastDivider fast_;
  int64_t divisor_;
};

// How channels are divided: into packs that a plane touches, and parts of a
// channel's packs. The same on each device, so that sums do not depend on its
// size.
struct PlaneParts {
  NearDivider packs;  // that a plane touches at most
  unsigned int count = 1;
  int64_t size = 0;  // in packs

  PlaneParts(const functions::ChannelArgs& args, int pack, int64_t per_thread,
             int64_t blocks)
      : packs(args.inner % pack == 0 ? args.inner / pack
                                     : (args.inner + pack - 2) / pack + 1) {
    const int64_t all = args.outer * packs.divisor();
    const int64_t least = catena::cuda::kBlockThreads * per_thread;
    const int64_t wanted = std::max<int64_t>(
        1, std::min(blocks / std::max<int64_t>(args.channels, 1), all / least));
    size = std::min(catena::cuda::ceil_divide(all, wanted), NearDivider::kNear);
    count = static_cast<unsigned int>(catena::cuda::ceil_divide(all, size));
  }
};

struct PairOfSums {
  double first;
  double second;
};

// Sums for each channel and part: (part, 2, channels).
template <class Terms, class S, int kSize>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    reduce_planes(functions::ChannelArgs args, PlaneParts parts, double* sums) {
  using E = catena::cuda::Compute<S>;
  constexpr int kInputs = Terms::kInputs;
  constexpr int kPacks = kPacksInFlight<kInputs>;
  constexpr int kThreads = catena::cuda::kBlockThreads;
  __shared__ PairOfSums shared[kThreads / 32];
  const unsigned int channel = blockIdx.x / parts.count;
  const unsigned int part = blockIdx.x - channel * parts.count;
  const int64_t per_plane = parts.packs.divisor();
  const int64_t begin = part * parts.size;
  const int64_t end = min(begin + parts.size, args.outer * per_plane);
  const int64_t outer = begin / per_plane;  // once
  const int64_t skipped = begin - outer * per_plane;
  // Packs from here on reach past the end of the array.
  const int64_t total = args.outer * args.channels * args.inner;
  const int64_t whole = total / kSize * kSize;
  E center[1];
  Terms::centers(args, channel, center);
  const ChannelInputs<S, kInputs> in(args, 0);
  E first(0);
  E second(0);

  struct Place {
    int64_t offset;  // of the pack
    int begin;       // its elements of the plane
    int end;
  };
  const auto place_of = [&](int64_t pack) {
    const int64_t passed = skipped + (pack - begin);
    const int64_t planes = parts.packs.divide(passed);
    const int64_t start =
        ((outer + planes) * args.channels + channel) * args.inner;
    const int64_t offset =
        start / kSize * kSize + (passed - planes * per_plane) * kSize;
    Place place = {
        offset, static_cast<int>(max(start - offset, int64_t{0})),
        static_cast<int>(min(start + args.inner - offset, int64_t{kSize}))};
    if (offset >= whole) place.end = 0;
    return place;
  };
  const auto add = [&](const ChannelPacks<S, kInputs, kSize>& packs,
                       const Place& place) {
    const bool is_inside = place.begin == 0 && place.end == kSize;
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      if (!is_inside && (j < place.begin || j >= place.end)) continue;
      E values[kInputs];
      element_of(packs, j, values);
      Terms::add(center[0], values, first, second);
    }
  };
  for (int64_t pack = begin + threadIdx.x; pack < end;
       pack += kPacks * kThreads) {
    ChannelPacks<S, kInputs, kSize> packs[kPacks];
    Place places[kPacks];
#pragma unroll
    for (int u = 0; u < kPacks; ++u) {
      const int64_t at = pack + u * kThreads;
      places[u] = place_of(min(at, end - 1));
      if (at >= end) places[u].end = 0;
      packs[u].load_if(places[u].end > 0, in, places[u].offset);
    }
#pragma unroll
    for (int u = 0; u < kPacks; ++u) add(packs[u], places[u]);
  }
  // What the last pack of the array lacks a part of.
  if (channel == args.channels - 1 && part == parts.count - 1) {
    const int64_t i =
        max(whole, total - args.inner) + static_cast<int64_t>(threadIdx.x);
    if (i < total) {
      ChannelPacks<S, kInputs, 1> one;
      one.load(in, i);
      E values[kInputs];
      element_of(one, 0, values);
      Terms::add(center[0], values, first, second);
    }
  }
  const PairOfSums sum = catena::cuda::combine_neighbours(
      PairOfSums{static_cast<double>(first), static_cast<double>(second)},
      /*log_lanes=*/8, shared, [](const PairOfSums& a, const PairOfSums& b) {
        return PairOfSums{a.first + b.first, a.second + b.second};
      });
  if (threadIdx.x > 0) return;
  double* const to = sums + int64_t{part} * 2 * args.channels + channel;
  to[0] = sum.first;
  to[args.channels] = sum.second;
}

// A thread's packs of a block of affine_planes.
inline constexpr int kAffinePacks = 4;
inline constexpr int64_t kAffineBlock =
    int64_t{catena::cuda::kBlockThreads} * kAffinePacks;

// Packs are those of the whole array, which may have elements of several
// planes.
template <class S, int inputs, int kSize>
__global__ void __launch_bounds__(catena::cuda::kBlockThreads)
    affine_planes(functions::ChannelArgs args, NearDivider inner,
                  NearDivider channels) {
  using E = catena::cuda::Compute<S>;
  using Numbers = AffineNumbers<S, inputs>;
  constexpr int kThreads = catena::cuda::kBlockThreads;
  constexpr int kPacks = kPacksInFlight<inputs>;
  const int64_t total = args.outer * args.channels * args.inner;
  const int64_t whole = total / kSize;
  const auto low = static_cast<E>(args.low);
  const ChannelInputs<S, inputs> in(args, 0);
  const int64_t begin = blockIdx.x * kAffineBlock;
  // The block's first element: the plane, its channel, the place in the plane.
  const int64_t plane = begin * kSize / args.inner;
  const int64_t within = begin * kSize - plane * args.inner;
  const int64_t channel = plane % args.channels;

  const auto channel_of = [&](int64_t planes) {
    const int64_t passed = channel + planes;
    return passed - channels.divide(passed) * args.channels;
  };
  const auto put = [&](const auto& packs, int64_t offset) {
    constexpr int kElements = sizeof(packs.packs[0].elements) / sizeof(S);
    const int64_t passed = within + (offset - begin * kSize);
    int64_t planes = inner.divide(passed);
    int64_t left = args.inner - (passed - planes * args.inner);
    Numbers numbers[1];
    Numbers::load(args, channel_of(planes), numbers);
    E y[kElements];
    E other[kElements];
#pragma unroll
    for (int j = 0; j < kElements; ++j) {
      if (j == left) {
        ++planes;
        left += args.inner;
        Numbers::load(args, channel_of(planes), numbers);
      }
      E values[inputs];
      element_of(packs, j, values);
      y[j] = numbers[0].apply(values, low, other[j]);
    }
    write_affine<S, inputs>(args, offset, y, other);
  };
#pragma unroll 1
  for (int first = 0; first < kAffinePacks && whole > 0; first += kPacks) {
    const int64_t pack = begin + first * kThreads + threadIdx.x;
    ChannelPacks<S, inputs, kSize> packs[kPacks];
#pragma unroll
    for (int u = 0; u < kPacks; ++u) {
      const int64_t at = pack + u * kThreads;
      packs[u].load_if(at < whole, in, at * kSize);
    }
#pragma unroll
    for (int u = 0; u < kPacks; ++u) {
      const int64_t at = pack + u * kThreads;
      if (at < whole) put(packs[u], at * kSize);
    }
  }
  // The elements that make no pack.
  const int64_t i = whole * kSize + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && i < total) {
    ChannelPacks<S, inputs, 1> one;
    one.load(in, i);
    put(one, i);
  }
}

}  // namespace catena::kernels::CATENA_BACKEND
