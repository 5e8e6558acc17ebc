#include "catena/functions/rnn/n_step_gru.h"

#include "catena/functions/rnn/internal/n_step_stack.h"

namespace catena::functions {

NStepResult n_step_gru(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const std::vector<Variable>& xs) {
  return n_step_hidden_stack<NStepResult>({"n_step_gru", NStepKind::kGru, false,
                                           n_layers, dropout_ratio, hx, ws, bs},
                                          xs);
}
template <std::same_as<Variable> Steps>
NStepArrays n_step_gru(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const Steps& xs) {
  return n_step_hidden_stack<NStepArrays>({"n_step_gru", NStepKind::kGru, false,
                                           n_layers, dropout_ratio, hx, ws, bs},
                                          xs);
}
template NStepArrays n_step_gru(int64_t, double, const Variable&,
                                const std::vector<std::vector<Variable>>&,
                                const std::vector<std::vector<Variable>>&,
                                const Variable&);

NStepResult n_step_bigru(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const std::vector<Variable>& xs) {
  return n_step_hidden_stack<NStepResult>(
      {"n_step_bigru", NStepKind::kGru, true, n_layers, dropout_ratio, hx, ws,
       bs},
      xs);
}
template <std::same_as<Variable> Steps>
NStepArrays n_step_bigru(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const Steps& xs) {
  return n_step_hidden_stack<NStepArrays>(
      {"n_step_bigru", NStepKind::kGru, true, n_layers, dropout_ratio, hx, ws,
       bs},
      xs);
}
template NStepArrays n_step_bigru(int64_t, double, const Variable&,
                                  const std::vector<std::vector<Variable>>&,
                                  const std::vector<std::vector<Variable>>&,
                                  const Variable&);

}  // namespace catena::functions
