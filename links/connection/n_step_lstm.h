#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>

#include "catena/functions/rnn/n_step_lstm.h"
#include "catena/links/call_link.h"
#include "catena/links/connection/n_step_rnn_base.h"

namespace catena::links {

// Base of NStepLSTM and NStepBiLSTM.
class NStepLSTMBase : public NStepRNNBase {
 public:
  // xs are sequences, each (length, in_size), in any order; hx and cx are
  // (n_layers, B, out_size) for B sequences, or undefined for zeros. Returns
  // the final states hy and cy and the outputs ys, each (length, out_size):
  //
  //   const auto [hy, cy, ys] = link(hx, cx, xs);
  //
  // Throws ValueError when all sequences are empty, InvalidType when shapes do
  // not match.
  functions::NStepLstmResult forward(const Variable& hx, const Variable& cx,
                                     std::span<const Variable> xs);
  functions::NStepLstmResult operator()(const Variable& hx, const Variable& cx,
                                        std::span<const Variable> xs) {
    return call_link(*this, hx, cx, xs);
  }

  // The same for sequences of one length in one array (B, T, in_size), which
  // saves joining and splitting them: ys is (B, T, out_size).
  template <std::same_as<Variable> Sequences>
  functions::NStepLstmArrays forward(const Variable& hx, const Variable& cx,
                                     const Sequences& xs) {
    auto [hy, cy, ys] = run(hx, cx, xs);
    return {std::move(hy), std::move(cy), std::move(ys)};
  }
  template <std::same_as<Variable> Sequences>
  functions::NStepLstmArrays operator()(const Variable& hx, const Variable& cx,
                                        const Sequences& xs) {
    return call_link(*this, hx, cx, xs);
  }

 protected:
  using NStepRNNBase::NStepRNNBase;
};

// Stacked LSTM over whole sequences (functions::n_step_lstm). Weights are drawn
// from a normal distribution with standard deviation 1 / sqrt(columns), biases
// are 0; `dropout` applies between layers.
class NStepLSTM : public NStepLSTMBase {
 public:
  // Throws ValueError when a size is not positive or dropout is not in [0, 1).
  NStepLSTM(int64_t n_layers, int64_t in_size, int64_t out_size,
            double dropout);
};

// Stacked bidirectional LSTM over whole sequences (functions::n_step_bilstm):
// states are (2 n_layers, B, out_size), ys (length, 2 out_size).
class NStepBiLSTM : public NStepLSTMBase {
 public:
  NStepBiLSTM(int64_t n_layers, int64_t in_size, int64_t out_size,
              double dropout);
};

}  // namespace catena::links
