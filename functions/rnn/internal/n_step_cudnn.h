#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catena/array/array.h"
#include "catena/functions/cudnn/cudnn_slot.h"
#include "catena/functions/rnn/internal/n_step_form.h"
#include "catena/functions/rnn/internal/n_step_weights.h"

// Recurrent layers with cuDNN: one layer in one direction, or all of them in
// one call, which can run steps of different layers at the same time.
namespace catena::functions {

// The inputs of n_step_layer's node.
struct NStepInputs {
  Array x;
  Array hx;
  std::vector<Array> ws;  // those from x, then those from h
  std::vector<Array> bs;
  Array cx;  // of an LSTM
};

// What the gradients need. They write into the reserve: it is used once.
struct CudnnNStepKept {
  Array reserve;  // bytes
  Array weights;  // bytes, in cuDNN's layout
  Array lengths;  // of the sequences, int32
  Array order;    // of the rows when reversed in time, int64, else undefined
  // The states of cuDNN's generator before the call; undefined without dropout.
  Array dropout;
};

struct CudnnNStepResult {
  Array y;
  Array hy;
  Array cy;             // of an LSTM
  CudnnNStepKept kept;  // undefined unless `trains`
};
// One layer. The caller handles dropout between layers and the order of
// directions, so that masks are the same as on the CPU. nullopt when cuDNN
// declines.
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

// All layers, with states (layers, B, units) for the B rows of the first step;
// there are no steps without rows. First, where cuDNN wants the weights, which
// are those of one layer after the other; nullopt if it does not support such
// inputs.
inline constinit CudnnSlot<std::optional<NStepWeightLayout>(
    const NStepNetwork& network, const NStepInputs& in)>
    n_step_network_layout_cudnn;

// `in` has no weights, which are packed. nullopt when cuDNN declines.
struct CudnnNStepNetworkArgs {
  const NStepInputs& in;
  const Array& weights;
  // CudnnNStepKept::dropout of the call that this one repeats; by default,
  // undefined, dropout draws new masks: the generator of in.x's device decides
  // which.
  const Array& dropout;
  bool trains;  // whether to keep what gradients need
};
inline constinit CudnnSlot<std::optional<CudnnNStepResult>(
    const NStepNetwork& network, const CudnnNStepNetworkArgs& args)>
    n_step_network_cudnn;

struct CudnnNStepNetworkGradients {
  Array x;
  Array hx;
  Array cx;       // of an LSTM
  Array weights;  // packed; undefined unless wanted
};
// args.in has no weights.
inline constinit CudnnSlot<std::optional<CudnnNStepNetworkGradients>(
    const NStepNetwork& network, const CudnnNStepGradientArgs& args)>
    n_step_network_gradients_cudnn;

}  // namespace catena::functions
