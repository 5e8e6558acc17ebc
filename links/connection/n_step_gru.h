#pragma once

#include <cstdint>

#include "catena/links/connection/n_step_rnn_base.h"

namespace catena::links {

// Stacked gated recurrent units over whole sequences (functions::n_step_gru).
// Arguments, weights and errors are as in NStepLSTM, without cells.
class NStepGRU : public NStepHiddenRNNBase {
 public:
  NStepGRU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout);
};

// Stacked bidirectional GRU over whole sequences (functions::n_step_bigru).
class NStepBiGRU : public NStepHiddenRNNBase {
 public:
  NStepBiGRU(int64_t n_layers, int64_t in_size, int64_t out_size,
             double dropout);
};

}  // namespace catena::links
