#include "catena/functions/rnn/n_step_lstm.h"

#include <utility>

#include "catena/functions/rnn/internal/n_step_stack.h"

namespace catena::functions {
namespace {

NStepLstmResult run(const NStepArguments& arguments) {
  NStepStackResult result = n_step_stack(arguments);
  return {std::move(result.hy), std::move(result.cy), std::move(result.ys)};
}

}  // namespace

NStepLstmResult n_step_lstm(int64_t n_layers, double dropout_ratio,
                            const Variable& hx, const Variable& cx,
                            const std::vector<std::vector<Variable>>& ws,
                            const std::vector<std::vector<Variable>>& bs,
                            const std::vector<Variable>& xs) {
  return run({"n_step_lstm", NStepKind::kLstm, false, n_layers, dropout_ratio,
              hx, cx, ws, bs, xs});
}

NStepLstmResult n_step_bilstm(int64_t n_layers, double dropout_ratio,
                              const Variable& hx, const Variable& cx,
                              const std::vector<std::vector<Variable>>& ws,
                              const std::vector<std::vector<Variable>>& bs,
                              const std::vector<Variable>& xs) {
  return run({"n_step_bilstm", NStepKind::kLstm, true, n_layers, dropout_ratio,
              hx, cx, ws, bs, xs});
}

}  // namespace catena::functions
