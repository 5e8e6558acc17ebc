#include "catena/functions/rnn/testing/n_step_call.h"

#include "catena/functions/rnn/n_step_gru.h"
#include "catena/functions/rnn/n_step_lstm.h"
#include "catena/functions/rnn/n_step_rnn.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {

std::vector<Variable> call_n_step(const NStepFunction& kind, int64_t n_layers,
                                  double dropout, const Variables& in) {
  size_t next = 0;
  const Variable hx = in[next++];
  const Variable cx = kind.has_cells ? in[next++] : Variable();
  const auto lists = [&] {
    std::vector<std::vector<Variable>> result(n_layers * kind.directions());
    for (auto& list : result) {
      for (int j = 0; j < 2 * kind.gates; ++j) list.push_back(in[next++]);
    }
    return result;
  };
  const auto ws = lists();
  const auto bs = lists();
  const std::vector<Variable> xs(in.begin() + next, in.end());
  std::vector<Variable> outputs;
  if (kind.has_cells) {
    const auto& function = kind.is_bidirectional ? n_step_bilstm : n_step_lstm;
    const auto [hy, cy, ys] = function(n_layers, dropout, hx, cx, ws, bs, xs);
    outputs = {hy, cy};
    outputs.insert(outputs.end(), ys.begin(), ys.end());
    return outputs;
  }
  NStepResult result;
  if (kind.activation.empty()) {
    const auto& function = kind.is_bidirectional ? n_step_bigru : n_step_gru;
    result = function(n_layers, dropout, hx, ws, bs, xs);
  } else {
    const auto& function = kind.is_bidirectional ? n_step_birnn : n_step_rnn;
    result = function(n_layers, dropout, hx, ws, bs, xs,
                      {.activation = kind.activation});
  }
  outputs = {result.hy};
  outputs.insert(outputs.end(), result.ys.begin(), result.ys.end());
  return outputs;
}

std::vector<Array> n_step_inputs(const NStepFunction& kind, int64_t n_layers,
                                 const std::vector<int64_t>& batch_sizes,
                                 int64_t in_size, int64_t units, int64_t batch,
                                 Dtype dtype) {
  std::vector<Array> result;
  const auto add = [&](const Shape& shape) {
    result.push_back(testing::uniform(shape, -1, 1, dtype, result.size()));
  };
  const int64_t layers = n_layers * kind.directions();
  add({layers, batch, units});
  if (kind.has_cells) add({layers, batch, units});
  for (int64_t l = 0; l < layers; ++l) {
    for (int j = 0; j < kind.gates; ++j) {
      add({units, l < kind.directions() ? in_size : units * kind.directions()});
    }
    for (int j = 0; j < kind.gates; ++j) add({units, units});
  }
  for (int64_t l = 0; l < layers; ++l) {
    for (int j = 0; j < 2 * kind.gates; ++j) add({units});
  }
  for (const int64_t size : batch_sizes) add({size, in_size});
  return result;
}

}  // namespace catena::functions
