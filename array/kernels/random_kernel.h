#pragma once

#include <cstdint>

#include "catena/array/core/dtype.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/kernels/random_ops.h"

// The slots of the distributions, and the order in which a stream fills an
// array.
namespace catena::array {

// Counters are processed in groups of this size: where a counter gives n
// values, value v of counter s has index ((s / 16) * n + v) * 16 + s % 16. The
// lanes of a register, or the threads of a warp, thus write adjacent elements.
inline constexpr int kCounterGroup = 16;

// A place in a stream of random numbers.
struct RandomStream {
  uint64_t key;
  uint64_t first;  // the first counter, a multiple of kCounterGroup
};

struct RandomArgs {
  Device device;
  char* out;  // contiguous
  int64_t size;
  RandomStream stream;
  const void* op;
  // On CUDA, where each launch of a captured graph finds its stream; else null.
  const RandomStream* captured = nullptr;
};

using RandomKernel = void(const RandomArgs& args);
// A kernel for each dtype of the output.
using RandomTable = DtypeTable<RandomKernel>;

// out = in * mask, where the mask is what MaskOp draws. The CPU keeps masks.
using MaskedKernel = void(const RandomArgs& args, const char* in);
using MaskedTable = DtypeTable<MaskedKernel>;
inline constinit KernelSlot<MaskedTable> masked_slot = {"Mask::times", {}};

// The number of values of type T per counter.
template <class Op, class T>
inline constexpr int kValuesPerCounter =
    4 / Op::template kWords<T>* Op::template kValues<T>;

// The dtypes of each distribution.
template <class Op>
struct RandomTypes {
  using Types = FloatTypes;
};
template <>
struct RandomTypes<MaskOp> {
  using Types = decltype(BoolTypes() + FloatTypes());
};
template <>
struct RandomTypes<RandomBitsOp> {
  using Types = TypeList<uint64_t>;
};
template <>
struct RandomTypes<RandintOp> {
  using Types = IntTypes;
};
template <>
struct RandomTypes<WideRandintOp> {
  using Types = IntTypes;
};

using Distributions = TypeList<UniformOp, NormalOp, MaskOp, RandomBitsOp,
                               RandintOp, WideRandintOp>;

struct RandomFamily {
  using Kernel = RandomKernel;
  using Table = RandomTable;
  template <class Op>
  using Dtypes = typename RandomTypes<Op>::Types;
};

}  // namespace catena::array
