#include "catena/links/connection/n_step_rnn.h"

#include "catena/functions/rnn/internal/n_step_form.h"

namespace catena::links {

using functions::NStepKind;

NStepRNNTanh::NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
                           double dropout)
    : NStepHiddenRNNBase({"NStepRNNTanh", NStepKind::kTanh, false}, n_layers,
                         in_size, out_size, dropout) {}

NStepRNNReLU::NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
                           double dropout)
    : NStepHiddenRNNBase({"NStepRNNReLU", NStepKind::kRelu, false}, n_layers,
                         in_size, out_size, dropout) {}

NStepBiRNNTanh::NStepBiRNNTanh(int64_t n_layers, int64_t in_size,
                               int64_t out_size, double dropout)
    : NStepHiddenRNNBase({"NStepBiRNNTanh", NStepKind::kTanh, true}, n_layers,
                         in_size, out_size, dropout) {}

NStepBiRNNReLU::NStepBiRNNReLU(int64_t n_layers, int64_t in_size,
                               int64_t out_size, double dropout)
    : NStepHiddenRNNBase({"NStepBiRNNReLU", NStepKind::kRelu, true}, n_layers,
                         in_size, out_size, dropout) {}

}  // namespace catena::links
