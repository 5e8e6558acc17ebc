#include "catena/functions/rnn/testing/n_step_call.h"

#include "catena/functions/rnn/n_step_gru.h"
#include "catena/functions/rnn/n_step_lstm.h"
#include "catena/functions/rnn/n_step_rnn.h"

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

}  // namespace catena::functions
