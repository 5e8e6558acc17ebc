#include "catena/functions/rnn/n_step_lstm.h"

#include <utility>

#include "catena/functions/rnn/internal/n_step_stack.h"

namespace catena::functions {
namespace {

template <class Result, class Steps>
Result run(const NStepArguments& arguments, const Steps& xs) {
  auto result = n_step_stack(arguments, xs);
  return {std::move(result.hy), std::move(result.cy), std::move(result.ys)};
}

}  // namespace

NStepLstmResult n_step_lstm(int64_t n_layers, double dropout_ratio,
                            const Variable& hx, const Variable& cx,
                            const std::vector<std::vector<Variable>>& ws,
                            const std::vector<std::vector<Variable>>& bs,
                            const std::vector<Variable>& xs) {
  return run<NStepLstmResult>({"n_step_lstm", NStepKind::kLstm, false, n_layers,
                               dropout_ratio, hx, ws, bs, cx},
                              xs);
}
template <std::same_as<Variable> Steps>
NStepLstmArrays n_step_lstm(int64_t n_layers, double dropout_ratio,
                            const Variable& hx, const Variable& cx,
                            const std::vector<std::vector<Variable>>& ws,
                            const std::vector<std::vector<Variable>>& bs,
                            const Steps& xs) {
  return run<NStepLstmArrays>({"n_step_lstm", NStepKind::kLstm, false, n_layers,
                               dropout_ratio, hx, ws, bs, cx},
                              xs);
}
template NStepLstmArrays n_step_lstm(int64_t, double, const Variable&,
                                     const Variable&,
                                     const std::vector<std::vector<Variable>>&,
                                     const std::vector<std::vector<Variable>>&,
                                     const Variable&);

NStepLstmResult n_step_bilstm(int64_t n_layers, double dropout_ratio,
                              const Variable& hx, const Variable& cx,
                              const std::vector<std::vector<Variable>>& ws,
                              const std::vector<std::vector<Variable>>& bs,
                              const std::vector<Variable>& xs) {
  return run<NStepLstmResult>({"n_step_bilstm", NStepKind::kLstm, true,
                               n_layers, dropout_ratio, hx, ws, bs, cx},
                              xs);
}
template <std::same_as<Variable> Steps>
NStepLstmArrays n_step_bilstm(int64_t n_layers, double dropout_ratio,
                              const Variable& hx, const Variable& cx,
                              const std::vector<std::vector<Variable>>& ws,
                              const std::vector<std::vector<Variable>>& bs,
                              const Steps& xs) {
  return run<NStepLstmArrays>({"n_step_bilstm", NStepKind::kLstm, true,
                               n_layers, dropout_ratio, hx, ws, bs, cx},
                              xs);
}
template NStepLstmArrays n_step_bilstm(
    int64_t, double, const Variable&, const Variable&,
    const std::vector<std::vector<Variable>>&,
    const std::vector<std::vector<Variable>>&, const Variable&);

}  // namespace catena::functions
