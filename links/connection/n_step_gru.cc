#include "catena/links/connection/n_step_gru.h"

#include <utility>

namespace catena::links {

NStepGRU::NStepGRU(int64_t n_layers, int64_t in_size, int64_t out_size,
                   double dropout)
    : NStepRNNBase({"NStepGRU", 6, 1}, n_layers, in_size, out_size, dropout) {}

functions::NStepResult NStepGRU::forward(const Variable& hx,
                                         std::span<const Variable> xs) {
  Result result = run({hx}, xs,
                      [&](const auto& states, const Lists& ws, const Lists& bs,
                          const auto& steps) -> Result {
                        auto [hy, ys] = functions::n_step_gru(
                            n_layers(), dropout(), states[0], ws, bs, steps);
                        return {{hy}, std::move(ys)};
                      });
  return {result.states[0], std::move(result.ys)};
}

NStepBiGRU::NStepBiGRU(int64_t n_layers, int64_t in_size, int64_t out_size,
                       double dropout)
    : NStepRNNBase({"NStepBiGRU", 6, 2}, n_layers, in_size, out_size, dropout) {
}

functions::NStepResult NStepBiGRU::forward(const Variable& hx,
                                           std::span<const Variable> xs) {
  Result result = run({hx}, xs,
                      [&](const auto& states, const Lists& ws, const Lists& bs,
                          const auto& steps) -> Result {
                        auto [hy, ys] = functions::n_step_bigru(
                            n_layers(), dropout(), states[0], ws, bs, steps);
                        return {{hy}, std::move(ys)};
                      });
  return {result.states[0], std::move(result.ys)};
}

}  // namespace catena::links
