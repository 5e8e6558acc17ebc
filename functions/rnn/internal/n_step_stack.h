#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/functions/rnn/internal/n_step_layer.h"

namespace catena::functions {

// The arguments of an n_step function; see its header.
struct NStepArguments {
  std::string_view name;
  NStepKind kind;
  bool is_bidirectional;
  int64_t n_layers;
  double dropout_ratio;
  const Variable& hx;
  const Variable& cx;  // of an LSTM
  const std::vector<std::vector<Variable>>& ws;
  const std::vector<std::vector<Variable>>& bs;
  const std::vector<Variable>& xs;
};

struct NStepStackResult {
  Variable hy;
  Variable cy;  // of an LSTM
  std::vector<Variable> ys;
};

// Checks them and runs layer after layer.
NStepStackResult n_step_stack(const NStepArguments& arguments);

}  // namespace catena::functions
