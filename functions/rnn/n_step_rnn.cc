#include "catena/functions/rnn/n_step_rnn.h"

#include "catena/array/core/error.h"
#include "catena/functions/rnn/internal/n_step_stack.h"

namespace catena::functions {
namespace {

NStepKind kind_of(std::string_view activation, std::string_view name) {
  if (activation == "tanh") return NStepKind::kTanh;
  if (activation == "relu") return NStepKind::kRelu;
  raise<ValueError>(name, ": expected activation \"tanh\" or \"relu\", got \"",
                    activation, "\"");
}

}  // namespace

NStepResult n_step_rnn(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const std::vector<Variable>& xs,
                       const NStepRnnOptions& options) {
  constexpr std::string_view kName = "n_step_rnn";
  return n_step_hidden_stack<NStepResult>(
      {kName, kind_of(options.activation, kName), false, n_layers,
       dropout_ratio, hx, ws, bs},
      xs);
}
template <std::same_as<Variable> Steps>
NStepArrays n_step_rnn(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const Steps& xs, const NStepRnnOptions& options) {
  constexpr std::string_view kName = "n_step_rnn";
  return n_step_hidden_stack<NStepArrays>(
      {kName, kind_of(options.activation, kName), false, n_layers,
       dropout_ratio, hx, ws, bs},
      xs);
}
template NStepArrays n_step_rnn(int64_t, double, const Variable&,
                                const std::vector<std::vector<Variable>>&,
                                const std::vector<std::vector<Variable>>&,
                                const Variable&, const NStepRnnOptions&);

NStepResult n_step_birnn(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const std::vector<Variable>& xs,
                         const NStepRnnOptions& options) {
  constexpr std::string_view kName = "n_step_birnn";
  return n_step_hidden_stack<NStepResult>(
      {kName, kind_of(options.activation, kName), true, n_layers, dropout_ratio,
       hx, ws, bs},
      xs);
}
template <std::same_as<Variable> Steps>
NStepArrays n_step_birnn(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const Steps& xs, const NStepRnnOptions& options) {
  constexpr std::string_view kName = "n_step_birnn";
  return n_step_hidden_stack<NStepArrays>(
      {kName, kind_of(options.activation, kName), true, n_layers, dropout_ratio,
       hx, ws, bs},
      xs);
}
template NStepArrays n_step_birnn(int64_t, double, const Variable&,
                                  const std::vector<std::vector<Variable>>&,
                                  const std::vector<std::vector<Variable>>&,
                                  const Variable&, const NStepRnnOptions&);

}  // namespace catena::functions
