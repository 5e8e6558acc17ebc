#include "catena/links/connection/n_step_rnn.h"

#include <utility>

namespace catena::links {

NStepRNNTanh::NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size,
                           double dropout)
    : NStepRNNBase({"NStepRNNTanh", 2, 1}, n_layers, in_size, out_size,
                   dropout) {}

functions::NStepResult NStepRNNTanh::forward(const Variable& hx,
                                             std::span<const Variable> xs) {
  Result result = run({hx}, xs,
                      [&](const auto& states, const Lists& ws, const Lists& bs,
                          const auto& steps) -> Result {
                        auto [hy, ys] = functions::n_step_rnn(
                            n_layers(), dropout(), states[0], ws, bs, steps,
                            {.activation = "tanh"});
                        return {{hy}, std::move(ys)};
                      });
  return {result.states[0], std::move(result.ys)};
}

NStepRNNReLU::NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size,
                           double dropout)
    : NStepRNNBase({"NStepRNNReLU", 2, 1}, n_layers, in_size, out_size,
                   dropout) {}

functions::NStepResult NStepRNNReLU::forward(const Variable& hx,
                                             std::span<const Variable> xs) {
  Result result = run({hx}, xs,
                      [&](const auto& states, const Lists& ws, const Lists& bs,
                          const auto& steps) -> Result {
                        auto [hy, ys] = functions::n_step_rnn(
                            n_layers(), dropout(), states[0], ws, bs, steps,
                            {.activation = "relu"});
                        return {{hy}, std::move(ys)};
                      });
  return {result.states[0], std::move(result.ys)};
}

NStepBiRNNTanh::NStepBiRNNTanh(int64_t n_layers, int64_t in_size,
                               int64_t out_size, double dropout)
    : NStepRNNBase({"NStepBiRNNTanh", 2, 2}, n_layers, in_size, out_size,
                   dropout) {}

functions::NStepResult NStepBiRNNTanh::forward(const Variable& hx,
                                               std::span<const Variable> xs) {
  Result result = run({hx}, xs,
                      [&](const auto& states, const Lists& ws, const Lists& bs,
                          const auto& steps) -> Result {
                        auto [hy, ys] = functions::n_step_birnn(
                            n_layers(), dropout(), states[0], ws, bs, steps,
                            {.activation = "tanh"});
                        return {{hy}, std::move(ys)};
                      });
  return {result.states[0], std::move(result.ys)};
}

NStepBiRNNReLU::NStepBiRNNReLU(int64_t n_layers, int64_t in_size,
                               int64_t out_size, double dropout)
    : NStepRNNBase({"NStepBiRNNReLU", 2, 2}, n_layers, in_size, out_size,
                   dropout) {}

functions::NStepResult NStepBiRNNReLU::forward(const Variable& hx,
                                               std::span<const Variable> xs) {
  Result result = run({hx}, xs,
                      [&](const auto& states, const Lists& ws, const Lists& bs,
                          const auto& steps) -> Result {
                        auto [hy, ys] = functions::n_step_birnn(
                            n_layers(), dropout(), states[0], ws, bs, steps,
                            {.activation = "relu"});
                        return {{hy}, std::move(ys)};
                      });
  return {result.states[0], std::move(result.ys)};
}

}  // namespace catena::links
