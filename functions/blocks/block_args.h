#pragma once

#include <cstdint>

#include "catena/array/device.h"
#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"

// The machinery of kernels that are neither elementwise nor along an axis: the
// items of a batch are independent, and each is computed by vector operations
// on memory that the functor names. It is written once for the CPU, where an
// item is run by one thread with lanes, and CUDA, where a warp runs it:
//
//   struct DotOp {
//     static constexpr std::string_view kName = "dot";
//     int64_t width;
//     const void* x;  // (items, width), as y, of the stored type
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
// What the members of Block do is told in block_loop.h.
namespace catena::functions {

struct BlockArgs {
  Device device;
  int64_t blocks;
  int64_t grain;  // fewer items a thread cost less than waking it
  const void* op;
};

using BlockKernel = void(const BlockArgs& args);
using BlockTable = DtypeTable<BlockKernel>;

}  // namespace catena::functions

// Where each compilation of the kernels puts its tables, as in
// array/kernel_tables.h.
namespace catena::array {

namespace cpu_baseline {
template <class Op>
struct BlockKernels {
  static const functions::BlockTable table;
};
}  // namespace cpu_baseline
namespace cpu_avx2 {
template <class Op>
struct BlockKernels {
  static const functions::BlockTable table;
};
}  // namespace cpu_avx2
namespace cpu_avx512 {
template <class Op>
struct BlockKernels {
  static const functions::BlockTable table;
};
}  // namespace cpu_avx512
namespace cuda {
template <class Op>
struct BlockKernels {
  static const functions::BlockTable table;
};
}  // namespace cuda

}  // namespace catena::array

namespace catena::functions {

// The slot of a functor. CUDA's table is installed when its library is linked.
template <class Op>
inline constinit KernelSlot<BlockTable> block_slot = {
    Op::kName,
    {&array::cpu_baseline::BlockKernels<Op>::table,
     &array::cpu_avx2::BlockKernels<Op>::table,
     &array::cpu_avx512::BlockKernels<Op>::table, nullptr}};

// A vector that is added up with others, and what it is multiplied by.
template <class S, class Element>
struct WeightedVector {
  const S* values;  // null counts as zeros
  Element weight;
};

}  // namespace catena::functions
