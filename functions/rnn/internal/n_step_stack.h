#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/functions/rnn/internal/n_step_layer.h"

namespace catena::functions {

// The arguments of an n_step function, except for xs; see its header.
struct NStepArguments {
  std::string_view name;
  NStepKind kind;
  bool is_bidirectional;
  int64_t n_layers;
  double dropout_ratio;
  const Variable& hx;
  const std::vector<std::vector<Variable>>& ws;
  const std::vector<std::vector<Variable>>& bs;
  Variable cx = {};  // of an LSTM
};

// The final states, and the outputs in the form of xs.
template <class Steps>
struct NStepStackResult {
  Variable hy;
  Variable cy;  // of an LSTM
  Steps ys;
};

// The rows of all steps, one step after the other, each (I,).
struct NStepRows {
  Variable rows;
  std::vector<int64_t> batch_sizes;  // of the steps, which do not increase
};

// Check the arguments and run layer after layer. xs are the steps, each (B_t,
// I), or all of them in one array (T, B, I), or their rows, whose shapes the
// caller has checked.
NStepStackResult<std::vector<Variable>> n_step_stack(
    const NStepArguments& arguments, const std::vector<Variable>& xs);
NStepStackResult<Variable> n_step_stack(const NStepArguments& arguments,
                                        const Variable& xs);
NStepStackResult<Variable> n_step_stack(const NStepArguments& arguments,
                                        const NStepRows& xs);

// The same for cells whose only state is h. Result is NStepResult or
// NStepArrays.
template <class Result, class Steps>
Result n_step_hidden_stack(const NStepArguments& arguments, const Steps& xs) {
  auto [hy, cy, ys] = n_step_stack(arguments, xs);
  return {std::move(hy), std::move(ys)};
}

}  // namespace catena::functions
