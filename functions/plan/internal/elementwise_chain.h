#pragma once

#include <span>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/elementwise.h"
#include "catena/functions/engines/elementwise/elementwise_function.h"

namespace catena::functions {

// Elementwise functions of arrays of one shape, computed in one pass over
// memory: tile by tile, so that what only the functions themselves read stays
// in the cache. On the CPU; the results are those of the functions, to the bit.
class ElementwiseChain {
 public:
  // Values are numbered: first the arguments, then the results of the calls.
  struct Call {
    const ElementwiseFunction* function;
    std::vector<int> inputs;
  };

  // `outputs` are the results that run() stores. Throws as a call of a function
  // would if it does not support the dtype.
  ElementwiseChain(Dtype dtype, int arguments, std::span<const Call> calls,
                   std::span<const int> outputs);

  // Contiguous arrays, the arguments followed by the outputs: of one shape, or
  // arguments of one element.
  void run(std::span<const Array> arrays) const;

 private:
  struct Step {
    array::ElementwiseLoopFn* kernel;
    FunctorBytes functor;
    std::vector<int> inputs;
    int buffer;  // number of the buffer for a result that is not stored
    int output;  // number of the array that stores the result, or -1
  };

  class Runner;

  int64_t item_size_;
  int arguments_;
  std::vector<Step> steps_;
  int buffers_ = 0;
};

}  // namespace catena::functions
