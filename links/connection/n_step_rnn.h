#pragma once

#include <cstdint>

#include "catena/links/connection/n_step_rnn_base.h"

namespace catena::links {

// Stacked tanh recurrent layers over whole sequences (functions::n_step_rnn).
// Arguments, weights and errors are as in NStepLSTM, without cells.
class NStepRNNTanh : public NStepHiddenRNNBase {
 public:
  NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
               double dropout);
};

// Stacked relu recurrent layers over whole sequences (functions::n_step_rnn).
class NStepRNNReLU : public NStepHiddenRNNBase {
 public:
  NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
               double dropout);
};

// Stacked bidirectional tanh recurrent layers over whole sequences
// (functions::n_step_birnn).
class NStepBiRNNTanh : public NStepHiddenRNNBase {
 public:
  NStepBiRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
                 double dropout);
};

// Stacked bidirectional relu recurrent layers over whole sequences
// (functions::n_step_birnn).
class NStepBiRNNReLU : public NStepHiddenRNNBase {
 public:
  NStepBiRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
                 double dropout);
};

}  // namespace catena::links
