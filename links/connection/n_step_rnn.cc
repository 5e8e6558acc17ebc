#include "catena/links/connection/n_step_rnn.h"

#include <vector>

#include "catena/functions/rnn/n_step_rnn.h"

namespace catena::links {
namespace {

using Lists = std::vector<std::vector<Variable>>;

enum class Activation : uint8_t { kTanh, kReLU };

// n_step_rnn or n_step_birnn with its activation.
template <auto function, Activation activation>
functions::NStepResult activated(int64_t n_layers, double dropout,
                                 const Variable& hx, const Lists& ws,
                                 const Lists& bs,
                                 const std::vector<Variable>& xs) {
  return function(
      n_layers, dropout, hx, ws, bs, xs,
      {.activation = activation == Activation::kTanh ? "tanh" : "relu"});
}

}  // namespace

NStepRNNTanh::NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
                           double dropout)
    : NStepHiddenRNNBase({"NStepRNNTanh", 2, 1},
                         activated<functions::n_step_rnn, Activation::kTanh>,
                         n_layers, in_size, out_size, dropout) {}

NStepRNNReLU::NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
                           double dropout)
    : NStepHiddenRNNBase({"NStepRNNReLU", 2, 1},
                         activated<functions::n_step_rnn, Activation::kReLU>,
                         n_layers, in_size, out_size, dropout) {}

NStepBiRNNTanh::NStepBiRNNTanh(int64_t n_layers, int64_t in_size,
                               int64_t out_size, double dropout)
    : NStepHiddenRNNBase({"NStepBiRNNTanh", 2, 2},
                         activated<functions::n_step_birnn, Activation::kTanh>,
                         n_layers, in_size, out_size, dropout) {}

NStepBiRNNReLU::NStepBiRNNReLU(int64_t n_layers, int64_t in_size,
                               int64_t out_size, double dropout)
    : NStepHiddenRNNBase({"NStepBiRNNReLU", 2, 2},
                         activated<functions::n_step_birnn, Activation::kReLU>,
                         n_layers, in_size, out_size, dropout) {}

}  // namespace catena::links
