#include "catena/functions/rnn/n_step_rnn.h"

#include <utility>

#include "catena/array/error.h"
#include "catena/functions/rnn/internal/n_step_stack.h"

namespace catena::functions {
namespace {

NStepKind kind_of(std::string_view activation, std::string_view name) {
  if (activation == "tanh") return NStepKind::kTanh;
  if (activation == "relu") return NStepKind::kRelu;
  raise<ValueError>(name, ": expected activation \"tanh\" or \"relu\", got \"",
                    activation, "\"");
}

NStepResult run(const NStepArguments& arguments) {
  NStepStackResult result = n_step_stack(arguments);
  return {std::move(result.hy), std::move(result.ys)};
}

}  // namespace

NStepResult n_step_rnn(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const std::vector<Variable>& xs,
                       const NStepRnnOptions& options) {
  constexpr std::string_view kName = "n_step_rnn";
  return run({kName,
              kind_of(options.activation, kName),
              false,
              n_layers,
              dropout_ratio,
              hx,
              {},
              ws,
              bs,
              xs});
}

NStepResult n_step_birnn(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const std::vector<Variable>& xs,
                         const NStepRnnOptions& options) {
  constexpr std::string_view kName = "n_step_birnn";
  return run({kName,
              kind_of(options.activation, kName),
              true,
              n_layers,
              dropout_ratio,
              hx,
              {},
              ws,
              bs,
              xs});
}

}  // namespace catena::functions
