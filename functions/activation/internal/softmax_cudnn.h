#pragma once

#include "catena/array/array.h"
#include "catena/functions/cudnn/cudnn_slot.h"
#include "catena/functions/engines/rows/row_call.h"

// One pass of softmax or log_softmax.
namespace catena::functions {

struct SoftmaxPass {
  bool is_log;
  int axis;         // normalized
  const Array& a;   // x, or y in the backward pass
  const Array* gy;  // null in the forward pass
};

// Returns y or gx; undefined when cuDNN declines.
inline constinit CudnnSlot<Array(const SoftmaxPass&)> softmax_cudnn;

// Runs the pass with cuDNN, or else with the functor, whose inputs are both
// arrays.
template <class Op>
Array run_softmax(const Op& op, const SoftmaxPass& pass) {
  Array result = softmax_cudnn(pass.a.device(), pass);
  if (result.defined()) return result;
  if (pass.gy == nullptr) return map_rows(op, pass.axis, {&pass.a});
  return map_rows(op, pass.axis, {&pass.a, pass.gy});
}

}  // namespace catena::functions
