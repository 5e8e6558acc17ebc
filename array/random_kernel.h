#pragma once

#include <cstdint>

#include "catena/array/dtype.h"
#include "catena/array/kernel_slot.h"
#include "catena/array/random_ops.h"

// The slots of the distributions, and the order in which a stream's numbers
// fill an array.
namespace catena::array {

// Counters go by groups of this many: the v-th value of counter s stands at
// ((s / 16) * n + v) * 16 + s % 16, where a counter gives n values. So the
// lanes of a register, or the threads of a warp, write neighbours.
inline constexpr int kCounterGroup = 16;

struct RandomArgs {
  Device device;
  char* out;  // contiguous
  int64_t size;
  uint64_t key;
  uint64_t first;  // the first counter, a multiple of kCounterGroup
  const void* op;
};

using RandomKernel = void(const RandomArgs& args);
// A kernel for each dtype of the output.
using RandomTable = DtypeTable<RandomKernel>;

// How many values of type T one counter gives.
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
