#pragma once

#include <optional>
#include <vector>

#include "catena/array/array.h"
#include "catena/functions/cudnn/cudnn_slot.h"
#include "catena/functions/rnn/internal/n_step_form.h"

// One layer in one direction with cuDNN. The caller handles dropout between
// layers and the order of directions, so that masks are the same as on the CPU.
namespace catena::functions {

// The inputs of n_step_layer's node.
struct NStepInputs {
  Array x;
  Array hx;
  std::vector<Array> ws;  // those from x, then those from h
  std::vector<Array> bs;
  Array cx;  // of an LSTM
};

// What the gradients need. They write into the reserve: it serves once.
struct CudnnNStepKept {
  Array reserve;  // bytes
  Array weights;  // bytes, in cuDNN's layout
  Array lengths;  // of the sequences, int32
  Array order;    // of the rows when reversed in time, int64, else undefined
};

struct CudnnNStepResult {
  Array y;
  Array hy;
  Array cy;             // of an LSTM
  CudnnNStepKept kept;  // undefined unless `trains`
};
// nullopt when cuDNN declines.
inline constinit CudnnSlot<std::optional<CudnnNStepResult>(
    const NStepLayer& layer, const NStepInputs& in, bool trains)>
    n_step_cudnn;

// gys are the gradients of y, hy and cy, or undefined. Returns the gradients of
// the inputs, and of weights and biases if wanted.
struct CudnnNStepGradientArgs {
  const NStepInputs& in;
  const Array& y;
  const CudnnNStepKept& kept;
  const Array& gy;
  const Array& ghy;
  const Array& gcy;
  bool wants_weights;
};
inline constinit CudnnSlot<std::optional<NStepInputs>(
    const NStepLayer& layer, const CudnnNStepGradientArgs& args)>
    n_step_gradients_cudnn;

}  // namespace catena::functions
