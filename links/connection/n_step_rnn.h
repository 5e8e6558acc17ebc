#pragma once

#include <cstdint>
#include <span>

#include "catena/functions/rnn/n_step_rnn.h"
#include "catena/links/call_link.h"
#include "catena/links/connection/n_step_rnn_base.h"

namespace catena::links {

// Stacked recurrent layers over whole sequences, with tanh
// (functions::n_step_rnn). Arguments, weights and errors are NStepLSTM's,
// without cells.
class NStepRNNTanh : public NStepRNNBase {
 public:
  NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
               double dropout);

  functions::NStepResult forward(const Variable& hx,
                                 std::span<const Variable> xs);
  functions::NStepResult operator()(const Variable& hx,
                                    std::span<const Variable> xs) {
    return call_link(*this, hx, xs);
  }
};

// The same with relu.
class NStepRNNReLU : public NStepRNNBase {
 public:
  NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
               double dropout);

  functions::NStepResult forward(const Variable& hx,
                                 std::span<const Variable> xs);
  functions::NStepResult operator()(const Variable& hx,
                                    std::span<const Variable> xs) {
    return call_link(*this, hx, xs);
  }
};

// Both in two directions (functions::n_step_birnn).
class NStepBiRNNTanh : public NStepRNNBase {
 public:
  NStepBiRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
                 double dropout);

  functions::NStepResult forward(const Variable& hx,
                                 std::span<const Variable> xs);
  functions::NStepResult operator()(const Variable& hx,
                                    std::span<const Variable> xs) {
    return call_link(*this, hx, xs);
  }
};

class NStepBiRNNReLU : public NStepRNNBase {
 public:
  NStepBiRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
                 double dropout);

  functions::NStepResult forward(const Variable& hx,
                                 std::span<const Variable> xs);
  functions::NStepResult operator()(const Variable& hx,
                                    std::span<const Variable> xs) {
    return call_link(*this, hx, xs);
  }
};

}  // namespace catena::links
