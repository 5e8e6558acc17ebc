#pragma once

#include <cstdint>

#include "catena/links/connection/n_step_rnn_base.h"

namespace catena::links {

// Stacked recurrent layers over whole sequences, with tanh
// (functions::n_step_rnn). Arguments, weights and errors are NStepLSTM's,
// without cells.
class NStepRNNTanh : public NStepHiddenRNNBase {
 public:
  NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
               double dropout);
};

// The same with relu.
class NStepRNNReLU : public NStepHiddenRNNBase {
 public:
  NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
               double dropout);
};

// Both in two directions (functions::n_step_birnn).
class NStepBiRNNTanh : public NStepHiddenRNNBase {
 public:
  NStepBiRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
                 double dropout);
};

class NStepBiRNNReLU : public NStepHiddenRNNBase {
 public:
  NStepBiRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
                 double dropout);
};

}  // namespace catena::links
