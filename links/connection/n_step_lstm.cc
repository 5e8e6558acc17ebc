#include "catena/links/connection/n_step_lstm.h"

#include "catena/functions/rnn/internal/n_step_form.h"

namespace catena::links {

using functions::NStepKind;

functions::NStepLstmResult NStepLSTMBase::forward(
    const Variable& hx, const Variable& cx, std::span<const Variable> xs) {
  auto [hy, cy, ys] = run(hx, cx, xs);
  return {std::move(hy), std::move(cy), std::move(ys)};
}

NStepLSTM::NStepLSTM(int64_t n_layers, int64_t in_size, int64_t out_size,
                     double dropout)
    : NStepLSTMBase({"NStepLSTM", NStepKind::kLstm, false}, n_layers, in_size,
                    out_size, dropout) {}

NStepBiLSTM::NStepBiLSTM(int64_t n_layers, int64_t in_size, int64_t out_size,
                         double dropout)
    : NStepLSTMBase({"NStepBiLSTM", NStepKind::kLstm, true}, n_layers, in_size,
                    out_size, dropout) {}

}  // namespace catena::links
