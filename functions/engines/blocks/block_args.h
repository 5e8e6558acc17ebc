#pragma once

#include <cstdint>

#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_slot.h"

// The engine for kernels that are neither elementwise nor along an axis: the
// items of a batch are independent, and each is computed by vector operations
// on memory that the functor points to. A functor is written once for the CPU,
// where one thread computes an item with vector lanes, and CUDA, where a warp
// does:
//
//   struct DotOp {
//     static constexpr std::string_view kName = "dot";
//     int64_t width;
//     const void* x;  // (items, width), like y, of the stored type
//     const void* y;
//     void* dots;
//     template <class Block>
//     CATENA_HOST_DEVICE void operator()(const Block& block) const {
//       using Stored = typename Block::Stored;
//       const auto* a = static_cast<const Stored*>(x) + block.index() * width;
//       const auto* b = static_cast<const Stored*>(y) + block.index() * width;
//       block.write(static_cast<Stored*>(dots) + block.index(),
//                   block.sum(width, [](auto p, auto q) { return p * q; }, a,
//                             b));
//     }
//   };
//
// block_loop.h documents the members of Block.
namespace catena::functions {

struct BlockArgs {
  Device device;
  int64_t blocks;
  int64_t grain;  // minimum items per thread
  const void* op;
};

struct BlockFamily {
  using Kernel = void(const BlockArgs& args);
  using Table = DtypeTable<Kernel>;
  template <class Op>
  using Dtypes = FloatTypes;
};

// A term of a weighted sum of vectors.
template <class S, class Element>
struct WeightedVector {
  const S* values;  // null counts as zeros
  Element weight;
};

}  // namespace catena::functions
