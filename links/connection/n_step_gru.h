#pragma once

#include <cstdint>
#include <span>

#include "catena/functions/rnn/n_step_gru.h"
#include "catena/links/call_link.h"
#include "catena/links/connection/n_step_rnn_base.h"

namespace catena::links {

// Stacked gated recurrent units over whole sequences (functions::n_step_gru).
// Arguments, weights and errors are NStepLSTM's, without cells.
class NStepGRU : public NStepRNNBase {
 public:
  NStepGRU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout);

  functions::NStepResult forward(const Variable& hx,
                                 std::span<const Variable> xs);
  functions::NStepResult operator()(const Variable& hx,
                                    std::span<const Variable> xs) {
    return call_link(*this, hx, xs);
  }
};

// The same in two directions (functions::n_step_bigru).
class NStepBiGRU : public NStepRNNBase {
 public:
  NStepBiGRU(int64_t n_layers, int64_t in_size, int64_t out_size,
             double dropout);

  functions::NStepResult forward(const Variable& hx,
                                 std::span<const Variable> xs);
  functions::NStepResult operator()(const Variable& hx,
                                    std::span<const Variable> xs) {
    return call_link(*this, hx, xs);
  }
};

}  // namespace catena::links
