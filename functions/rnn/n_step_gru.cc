#include "catena/functions/rnn/n_step_gru.h"

#include <utility>

#include "catena/functions/rnn/internal/n_step_stack.h"

namespace catena::functions {
namespace {

NStepResult run(const NStepArguments& arguments) {
  NStepStackResult result = n_step_stack(arguments);
  return {std::move(result.hy), std::move(result.ys)};
}

}  // namespace

NStepResult n_step_gru(int64_t n_layers, double dropout_ratio,
                       const Variable& hx,
                       const std::vector<std::vector<Variable>>& ws,
                       const std::vector<std::vector<Variable>>& bs,
                       const std::vector<Variable>& xs) {
  return run({"n_step_gru",
              NStepKind::kGru,
              false,
              n_layers,
              dropout_ratio,
              hx,
              {},
              ws,
              bs,
              xs});
}

NStepResult n_step_bigru(int64_t n_layers, double dropout_ratio,
                         const Variable& hx,
                         const std::vector<std::vector<Variable>>& ws,
                         const std::vector<std::vector<Variable>>& bs,
                         const std::vector<Variable>& xs) {
  return run({"n_step_bigru",
              NStepKind::kGru,
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
