#include "catena/functions/rnn/testing/n_step_call.h"

#include <cstddef>

#include "catena/functions/rnn/n_step_gru.h"
#include "catena/functions/rnn/n_step_lstm.h"
#include "catena/functions/rnn/n_step_rnn.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using Lists = std::vector<std::vector<Variable>>;

void append(std::vector<Variable>& outputs, const Variable& ys) {
  outputs.push_back(ys);
}
void append(std::vector<Variable>& outputs, const std::vector<Variable>& ys) {
  outputs.insert(outputs.end(), ys.begin(), ys.end());
}

template <class Steps>
std::vector<Variable> call(const NStepFunction& kind, int64_t n_layers,
                           double dropout, const Variable& hx,
                           const Variable& cx, const Lists& ws, const Lists& bs,
                           const Steps& xs) {
  std::vector<Variable> outputs;
  const auto add_all = [&](const auto& result) {
    outputs.push_back(result.hy);
    if constexpr (requires { result.cy; }) outputs.push_back(result.cy);
    append(outputs, result.ys);
  };
  const bool is_both = kind.is_bidirectional;
  if (kind.has_cells) {
    add_all(is_both ? n_step_bilstm(n_layers, dropout, hx, cx, ws, bs, xs)
                    : n_step_lstm(n_layers, dropout, hx, cx, ws, bs, xs));
  } else if (kind.activation.empty()) {
    add_all(is_both ? n_step_bigru(n_layers, dropout, hx, ws, bs, xs)
                    : n_step_gru(n_layers, dropout, hx, ws, bs, xs));
  } else {
    const NStepRnnOptions options{.activation = kind.activation};
    add_all(is_both ? n_step_birnn(n_layers, dropout, hx, ws, bs, xs, options)
                    : n_step_rnn(n_layers, dropout, hx, ws, bs, xs, options));
  }
  return outputs;
}

}  // namespace

std::vector<Variable> call_n_step(const NStepFunction& kind, int64_t n_layers,
                                  double dropout, const Variables& in,
                                  NStepInput form) {
  size_t next = 0;
  const Variable hx = in[next++];
  const Variable cx = kind.has_cells ? in[next++] : Variable();
  const auto lists = [&] {
    Lists result(n_layers * kind.directions());
    for (auto& list : result) {
      for (int j = 0; j < 2 * kind.gates; ++j) list.push_back(in[next++]);
    }
    return result;
  };
  const Lists ws = lists();
  const Lists bs = lists();
  if (form == NStepInput::kArray) {
    return call(kind, n_layers, dropout, hx, cx, ws, bs, in[next]);
  }
  const std::vector<Variable> xs(in.begin() + next, in.end());
  return call(kind, n_layers, dropout, hx, cx, ws, bs, xs);
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
