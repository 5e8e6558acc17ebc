#include "catena/functions/rnn/internal/n_step_network.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/identity.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/rnn/internal/n_step_cudnn.h"

namespace catena::functions {
namespace {

// The states of the layers, one after the other.
Variable stacked(const std::vector<Variable>& states) {
  if (!states[0].defined()) return {};
  std::vector<Variable> layers;
  for (const Variable& state : states) {
    layers.push_back(reshape(state, {1, state.shape()[0], state.shape()[1]}));
  }
  return layers.size() == 1 ? layers[0] : concat(layers, {.axis = 0});
}

// Drops out what goes from layer l - 1 to layer l.
using DropOut = std::function<Variable(const Variable& x, int64_t l)>;

// Runs one layer after the other.
NStepLayerResult by_layers(const NStepNetwork& form,
                           const NStepNetworkInputs& in,
                           const DropOut& drop_out) {
  NStepLayer layer{.kind = form.kind, .batch_sizes = form.batch_sizes};
  Variable x = in.x;
  std::vector<Variable> hys;
  std::vector<Variable> cys;
  const int64_t directions = form.directions();
  for (int64_t l = 0; l < form.n_layers; ++l) {
    if (l > 0 && form.dropout_ratio > 0) x = drop_out(x, l);
    std::vector<Variable> outputs;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t k = directions * l + d;
      layer.is_reversed = d == 1;
      NStepLayerResult result = n_step_layer(
          layer, x, get_item(in.hx, {k}),
          in.cx.defined() ? get_item(in.cx, {k}) : Variable(), in.weights[k]);
      outputs.push_back(std::move(result.y));
      hys.push_back(std::move(result.hy));
      cys.push_back(std::move(result.cy));
    }
    x = directions == 1 ? outputs[0] : concat(outputs, {.axis = 1});
  }
  return {std::move(x), stacked(hys), stacked(cys)};
}

// All layers in one call of cuDNN. The inputs are x, hx, the weights and the
// biases, layer by layer; for an LSTM, cx comes last.
class Network final : public FunctionNode {
 public:
  // The form has no steps without rows.
  Network(const NStepNetwork& form, const NStepWeightLayout& layout)
      : form_(form), layout_(layout) {}

  std::string_view label() const override { return "n_step_network"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::NStepNetwork>(
        {{"kind", name_of(form_.kind)},
         {"n_layers", form_.n_layers},
         {"use_bi_direction", form_.is_bidirectional},
         {"dropout_ratio", form_.dropout_ratio}});
  }
  bool repeats() const override { return !drops_out(); }

  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  enum InputIndex { kX, kHx, kFirstWeight };

  size_t n_weights() const { return layout_.ws.size(); }
  size_t cx_index() const { return kFirstWeight + 2 * n_weights(); }
  bool has_cells() const { return form_.kind == NStepKind::kLstm; }
  bool drops_out() const { return form_.dropout_ratio > 0; }

  NStepInputs inputs_of(const Arrays& in) const;
  NStepInputs of_sequences(const NStepInputs& in) const;
  std::optional<CudnnNStepResult> run(const NStepInputs& in, bool trains) const;
  NStepLayerResult run_by_layers(const Variables& in,
                                 const DropOut& drop_out) const;
  Arrays forward_by_layers(const Arrays& in);
  Variables cudnn_gradients(const Indexes& wanted, const Variables& gy);
  Variables recorded_gradients(const Indexes& wanted, const Variables& gy);

  Array first_rows(const Array& states) const;
  Array with_further_rows(const Array& first, const Array& states) const;

  NStepNetwork form_;
  NStepWeightLayout layout_;
  bool is_by_layers_ = false;  // since cuDNN declined after all
  std::vector<Array> masks_;   // of dropout, if so
  // Undefined once the gradients have used it.
  CudnnNStepKept kept_;
  Array dropout_;  // of it, for a second call
};

NStepInputs Network::inputs_of(const Arrays& in) const {
  NStepInputs result{.x = in[kX], .hx = in[kHx], .ws = {}, .bs = {}, .cx = {}};
  const auto ws = in.begin() + kFirstWeight;
  const auto bs = ws + static_cast<std::ptrdiff_t>(n_weights());
  result.ws.assign(ws, bs);
  result.bs.assign(bs, bs + static_cast<std::ptrdiff_t>(n_weights()));
  if (has_cells()) result.cx = in.back();
  return result;
}

// The states of rows that have a sequence. cuDNN knows no others.
Array Network::first_rows(const Array& states) const {
  const int64_t batch = form_.batch_sizes[0];
  if (!states.defined() || states.shape()[1] == batch) return states;
  return states[{Slice(), Slice(0, batch)}].contiguous();
}

// `states` with those of its first rows replaced.
Array Network::with_further_rows(const Array& first,
                                 const Array& states) const {
  const int64_t batch = form_.batch_sizes[0];
  if (!first.defined() || states.shape()[1] == batch) return first;
  Array result = states.copy();
  result[{Slice(), Slice(0, batch)}] = first;
  return result;
}

NStepInputs Network::of_sequences(const NStepInputs& in) const {
  return {.x = in.x,
          .hx = first_rows(in.hx),
          .ws = {},
          .bs = {},
          .cx = first_rows(in.cx)};
}

std::optional<CudnnNStepResult> Network::run(const NStepInputs& in,
                                             bool trains) const {
  const NStepInputs rows = of_sequences(in);
  const Array weights = pack_weights(layout_, in.ws, in.bs);
  return n_step_network_cudnn(in.x.device(), form_,
                              {rows, weights, dropout_, trains});
}

Arrays Network::forward(const Arrays& in) {
  for (size_t i = 0; i < in.size(); ++i) retain_input(static_cast<int>(i));
  retain_output(0);
  const NStepInputs inputs = inputs_of(in);
  auto result = run(inputs, config().enable_backprop);
  if (!result) return forward_by_layers(in);
  kept_ = std::move(result->kept);
  dropout_ = kept_.dropout;
  Arrays outputs{result->y, with_further_rows(result->hy, inputs.hx)};
  if (has_cells()) {
    outputs.push_back(with_further_rows(result->cy, inputs.cx));
  }
  return outputs;
}

NStepLayerResult Network::run_by_layers(const Variables& in,
                                        const DropOut& drop_out) const {
  const auto layers = static_cast<size_t>(form_.n_layers * form_.directions());
  const size_t count = n_weights() / layers;
  const std::span<const Variable> all(in);
  const auto ws = all.subspan(kFirstWeight, n_weights());
  const auto bs = all.subspan(kFirstWeight + n_weights(), n_weights());
  std::vector<NStepWeights> weights;
  for (size_t k = 0; k < layers; ++k) {
    weights.push_back(
        {ws.subspan(k * count, count), bs.subspan(k * count, count)});
  }
  const Variable none;
  return by_layers(form_,
                   {in[kX], in[kHx], has_cells() ? in.back() : none, weights},
                   drop_out);
}

Arrays Network::forward_by_layers(const Arrays& in) {
  is_by_layers_ = true;
  const auto scope = no_backprop_mode();
  Variables variables;
  for (const Array& a : in) variables.push_back(as_variable(a));
  const NStepLayerResult result =
      run_by_layers(variables, [&](const Variable& x, int64_t /*l*/) {
        return dropout(x, {.ratio = form_.dropout_ratio,
                           .return_mask = &masks_.emplace_back()});
      });
  Arrays outputs{result.y.data(), result.hy.data()};
  if (has_cells()) outputs.push_back(result.cy.data());
  return outputs;
}

Variables Network::backward(const Indexes& wanted, const Variables& gy) {
  if (config().enable_backprop) return recorded_gradients(wanted, gy);
  if (!is_by_layers_) return cudnn_gradients(wanted, gy);
  const auto scope = force_backprop_mode();
  return recorded_gradients(wanted, gy);
}

Variables Network::cudnn_gradients(const Indexes& wanted, const Variables& gy) {
  Arrays in;
  for (size_t i = 0; i < inputs().size(); ++i) {
    in.push_back(retained_input_array(static_cast<int>(i)));
  }
  const NStepInputs inputs = inputs_of(in);
  const NStepInputs rows = of_sequences(inputs);
  const auto data_of = [&](size_t i) {
    return i < gy.size() && gy[i].defined() ? gy[i].data() : Array();
  };
  const Array ghy = data_of(1);
  const Array gcy = data_of(2);
  const bool wants_weights = std::ranges::any_of(wanted, [&](int i) {
    return i >= kFirstWeight && i < static_cast<int>(cx_index());
  });
  CudnnNStepKept kept = std::exchange(kept_, {});
  if (!kept.reserve.defined()) {  // the second of two backward passes
    auto again = run(inputs, /*trains=*/true);
    if (again) kept = std::move(again->kept);
  }
  std::optional<CudnnNStepNetworkGradients> result;
  if (kept.reserve.defined()) {
    result = n_step_network_gradients_cudnn(
        inputs.x.device(), form_,
        {rows, retained_output_array(0), kept, data_of(0), first_rows(ghy),
         first_rows(gcy), wants_weights});
  }
  if (!result) {  // cuDNN was disabled after the forward pass
    const auto scope = force_backprop_mode();
    return recorded_gradients(wanted, gy);
  }
  // The states of further rows went through unchanged.
  const auto of_states = [&](const Array& first, const Array& gradient,
                             const Array& states) {
    return with_further_rows(
        first, gradient.defined() ? gradient : array::zeros_like(states));
  };
  std::vector<Array> gradients{result->x,
                               of_states(result->hx, ghy, inputs.hx)};
  gradients.resize(cx_index());
  if (wants_weights) {
    const auto ws = unpacked_weights(result->weights, layout_.ws, inputs.ws);
    const auto bs = unpacked_weights(result->weights, layout_.bs, inputs.bs);
    std::ranges::copy(
        bs, std::ranges::copy(ws, gradients.begin() + kFirstWeight).out);
  }
  if (has_cells()) {
    gradients.push_back(of_states(result->cx, gcy, inputs.cx));
  }
  Variables results;
  for (const int i : wanted) results.push_back(as_variable(gradients[i]));
  return results;
}

Variables Network::recorded_gradients(const Indexes& wanted,
                                      const Variables& gy) {
  if (drops_out() && !is_by_layers_) {
    raise<NotImplementedError>(
        "n_step_network: expected gradients of cuDNN's own dropout with the "
        "settings of its forward pass and without gradients of gradients, "
        "since cuDNN keeps its masks to itself; "
        "config().use_cudnn_rnn_stack = false has all gradients");
  }
  // Uses new variables: the graph's hold gradients of the running pass.
  Variables in;
  for (size_t i = 0; i < inputs().size(); ++i) {
    in.push_back(identity(retained_input(static_cast<int>(i))));
  }
  const NStepLayerResult all =
      run_by_layers(in, [&](const Variable& x, int64_t l) {
        return x * as_variable(masks_[static_cast<size_t>(l - 1)]);
      });
  std::vector<Variable> outputs;
  GradOptions options{.enable_double_backprop = true};
  const Variable results_of_layers[] = {all.y, all.hy, all.cy};
  for (size_t i = 0; i < gy.size(); ++i) {
    if (!gy[i].defined()) continue;
    outputs.push_back(results_of_layers[i]);
    options.grad_outputs.push_back(gy[i]);
  }
  std::vector<Variable> variables;
  for (const int i : wanted) variables.push_back(in[i]);
  const std::vector<Variable> results = grad(outputs, variables, options);
  return {results.begin(), results.end()};
}

// The inputs of the node.
std::vector<Variable> node_inputs(const NStepNetworkInputs& in) {
  std::vector<Variable> result{in.x, in.hx};
  for (const NStepWeights& layer : in.weights) {
    result.insert(result.end(), layer.ws.begin(), layer.ws.end());
  }
  for (const NStepWeights& layer : in.weights) {
    result.insert(result.end(), layer.bs.begin(), layer.bs.end());
  }
  if (in.cx.defined()) result.push_back(in.cx);
  return result;
}

// The form in which cuDNN gets the network; nothing if it can't get it.
std::optional<NStepNetwork> form_for_cudnn(const NStepNetwork& network,
                                           Device device) {
  if (!config().use_cudnn_rnn_stack || device.is_native()) return {};
  NStepNetwork form = network;
  if (!config().train || form.n_layers == 1) form.dropout_ratio = 0;
  while (!form.batch_sizes.empty() && form.batch_sizes.back() == 0) {
    form.batch_sizes.pop_back();
  }
  if (form.batch_sizes.empty()) return {};
  return form;
}

}  // namespace

NStepLayerResult n_step_network(const NStepNetwork& network,
                                const NStepNetworkInputs& in) {
  const Device device = in.x.device();
  if (const auto form = form_for_cudnn(network, device)) {
    NStepInputs arrays{
        .x = in.x.data(), .hx = in.hx.data(), .ws = {}, .bs = {}, .cx = {}};
    for (const NStepWeights& layer : in.weights) {
      for (const Variable& w : layer.ws) arrays.ws.push_back(w.data());
      for (const Variable& b : layer.bs) arrays.bs.push_back(b.data());
    }
    if (const auto layout =
            n_step_network_layout_cudnn(device, *form, arrays)) {
      const std::vector<Variable> inputs = node_inputs(in);
      Variables out =
          apply_all<Network>(std::span<const Variable>(inputs), *form, *layout);
      NStepLayerResult result{std::move(out[0]), std::move(out[1]), {}};
      if (out.size() > 2) result.cy = std::move(out[2]);
      return result;
    }
  }
  return by_layers(network, in, [&](const Variable& x, int64_t /*l*/) {
    return dropout(x, {.ratio = network.dropout_ratio});
  });
}

}  // namespace catena::functions
