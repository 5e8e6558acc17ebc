#include "catena/links/connection/n_step_gru.h"

#include "catena/functions/rnn/internal/n_step_form.h"

namespace catena::links {

using functions::NStepKind;

NStepGRU::NStepGRU(int64_t n_layers, int64_t in_size, int64_t out_size,
                   double dropout)
    : NStepHiddenRNNBase({"NStepGRU", NStepKind::kGru, false}, n_layers,
                         in_size, out_size, dropout) {}

NStepBiGRU::NStepBiGRU(int64_t n_layers, int64_t in_size, int64_t out_size,
                       double dropout)
    : NStepHiddenRNNBase({"NStepBiGRU", NStepKind::kGru, true}, n_layers,
                         in_size, out_size, dropout) {}

}  // namespace catena::links
