#include "catena/links/connection/n_step_lstm.h"

#include <utility>

namespace catena::links {

functions::NStepLstmResult NStepLSTMBase::forward(
    const Variable& hx, const Variable& cx, std::span<const Variable> xs) {
  Result result = run({hx, cx}, xs,
                      [&](const auto& states, const Lists& ws, const Lists& bs,
                          const auto& steps) -> Result {
                        auto [hy, cy, ys] =
                            function_(n_layers(), dropout(), states[0],
                                      states[1], ws, bs, steps);
                        return {{hy, cy}, std::move(ys)};
                      });
  return {result.states[0], result.states[1], std::move(result.ys)};
}

NStepLSTM::NStepLSTM(int64_t n_layers, int64_t in_size, int64_t out_size,
                     double dropout)
    : NStepLSTMBase({"NStepLSTM", 8, 1}, functions::n_step_lstm, n_layers,
                    in_size, out_size, dropout) {}

NStepBiLSTM::NStepBiLSTM(int64_t n_layers, int64_t in_size, int64_t out_size,
                         double dropout)
    : NStepLSTMBase({"NStepBiLSTM", 8, 2}, functions::n_step_bilstm, n_layers,
                    in_size, out_size, dropout) {}

}  // namespace catena::links
