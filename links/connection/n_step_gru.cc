#include "catena/links/connection/n_step_gru.h"

#include "catena/functions/rnn/n_step_gru.h"

namespace catena::links {

NStepGRU::NStepGRU(int64_t n_layers, int64_t in_size, int64_t out_size,
                   double dropout)
    : NStepHiddenRNNBase({"NStepGRU", 6, 1}, functions::n_step_gru, n_layers,
                         in_size, out_size, dropout) {}

NStepBiGRU::NStepBiGRU(int64_t n_layers, int64_t in_size, int64_t out_size,
                       double dropout)
    : NStepHiddenRNNBase({"NStepBiGRU", 6, 2}, functions::n_step_bigru,
                         n_layers, in_size, out_size, dropout) {}

}  // namespace catena::links
