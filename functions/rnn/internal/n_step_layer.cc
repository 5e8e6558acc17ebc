#include "catena/functions/rnn/internal/n_step_layer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/identity.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/rnn/internal/n_step_cudnn.h"
#include "catena/functions/rnn/internal/n_step_rule.h"

namespace catena::functions {
namespace {

// The inputs of the node; for an LSTM, cx comes last.
enum InputIndex { kX, kHx, kWx, kWh, kBx, kBh, kCx };

// With at least this many steps, the state weights are transposed once.
// Otherwise each product, which has few rows, would transpose them, taking as
// long as the product itself.
constexpr size_t kWorthTransposing = 4;

// The rows of a step.
struct Step {
  int64_t first;
  int64_t count;
};

Array rows_of(const Array& a, int64_t first, int64_t count) {
  return a[{Slice(first, first + count)}];
}

// The steps that have rows, in the order of computation.
std::vector<Step> steps_of(const NStepLayer& layer) {
  std::vector<Step> steps;
  int64_t first = 0;
  for (const int64_t count : layer.batch_sizes) {
    if (count > 0) steps.push_back({first, count});
    first += count;
  }
  if (layer.is_reversed) std::reverse(steps.begin(), steps.end());
  return steps;
}

// The layer composed of functions, for a recorded gradient.
Variables composed(const NStepLayer& layer, const Variables& in) {
  const NStepRule& rule = NStepRule::of(layer.kind);
  NStepRule::States states{.h = in[kHx], .c = {}};
  if (rule.has_cells) states.c = in[kCx];
  const Variable from_x = linear(in[kX], in[kWx], in[kBx]);
  const int64_t batch = states.h.shape()[0];
  const auto first_rows = [](const Variable& x, int64_t count) {
    return x.defined() ? get_item(x, {Slice(0, count)}) : x;
  };
  const auto replace_rows = [&](const Variable& x, const Variable& first) {
    const int64_t count = first.shape()[0];
    if (count == batch) return first;
    return concat({first, get_item(x, {Slice(count, batch)})}, {.axis = 0});
  };
  std::vector<Variable> ys;
  for (const Step& step : steps_of(layer)) {
    NStepRule::States after{.h = first_rows(states.h, step.count),
                            .c = first_rows(states.c, step.count)};
    after = rule.record(
        after, get_item(from_x, {Slice(step.first, step.first + step.count)}),
        linear(after.h, in[kWh], in[kBh]));
    states.h = replace_rows(states.h, after.h);
    if (rule.has_cells) states.c = replace_rows(states.c, after.c);
    ys.push_back(after.h);
  }
  if (layer.is_reversed) std::reverse(ys.begin(), ys.end());
  const Variable none =
      get_item(from_x, {Slice(), Slice(0, in[kWh].shape()[1])});
  Variables outputs{ys.empty() ? none : concat(ys, {.axis = 0}), states.h};
  if (rule.has_cells) outputs.push_back(states.c);
  return outputs;
}

NStepInputs inputs_of(const Arrays& in) {
  return {in[kX],
          in[kHx],
          in[kWx],
          in[kWh],
          in[kBx],
          in[kBh],
          in.size() > kCx ? in[kCx] : Array()};
}

class Layer final : public FunctionNode {
 public:
  explicit Layer(const NStepLayer& layer)
      : layer_(layer), rule_(NStepRule::of(layer.kind)) {}

  std::string_view label() const override { return "n_step_layer"; }

  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Variables gradients(const Indexes& wanted, const Variables& gy) const;
  Variables recorded_gradients(const Indexes& wanted, const Variables& gy);
  Array h_before() const;
  Variables cudnn_gradients(const Indexes& wanted, const Variables& gy);

  NStepLayer layer_;
  const NStepRule& rule_;
  Array kept_;
  Array cells_;
  CudnnNStepKept kept_by_cudnn_;  // replaces both if cuDNN has run
};

Arrays Layer::forward(const Arrays& in) {
  for (size_t i = 0; i < in.size(); ++i) retain_input(static_cast<int>(i));
  retain_output(0);
  const Array& x = in[kX];
  const Array& Wh = in[kWh];
  if (auto result = n_step_cudnn(x.device(), layer_, inputs_of(in),
                                 config().enable_backprop)) {
    kept_by_cudnn_ = std::move(result->kept);
    Arrays outputs{result->y, result->hy};
    if (rule_.has_cells) outputs.push_back(result->cy);
    return outputs;
  }
  const int64_t units = Wh.shape()[1];
  const int64_t width = rule_.gates * units;
  const int64_t total = x.shape()[0];
  const auto make = [&](int64_t rows, int64_t columns) {
    return array::empty({rows, columns}, x.dtype(), x.device());
  };
  LayerForward a;
  a.kept = make(total, rule_.kept_gates * units);
  a.y = make(total, units);
  a.h = in[kHx].copy();
  if (rule_.has_cells) {
    a.cells = make(total, units);
    a.c = in[kCx].copy();
  }
  const Array sources =
      width == a.kept.shape()[1] ? a.kept : a.kept[{Slice(), Slice(0, width)}];
  if (rule_.keeps_apart) a.from_h = make(a.h.shape()[0], width);
  // One product computes everything that does not depend on h.
  array::gemm(
      x, in[kWx], sources,
      {.transb = true,
       .bias = rule_.keeps_apart ? in[kBx] : array::add(in[kBx], in[kBh])});
  const std::vector<Step> steps = steps_of(layer_);
  const Array WhT = steps.size() < kWorthTransposing ? Wh.T() : Wh.T().copy();
  for (const Step& step : steps) {
    const Array to = rule_.keeps_apart
                         ? rows_of(a.from_h, 0, step.count)
                         : rows_of(sources, step.first, step.count);
    array::gemm(rows_of(a.h, 0, step.count), WhT, to,
                {.beta = rule_.keeps_apart ? 0.0 : 1.0,
                 .bias = rule_.keeps_apart ? in[kBh] : Array()});
    rule_.forward(a, step.first, step.count);
  }
  kept_ = a.kept;
  cells_ = a.cells;
  Arrays outputs{a.y, a.h};
  if (rule_.has_cells) outputs.push_back(a.c);
  return outputs;
}

// The initial states of each step, in row order.
Array Layer::h_before() const {
  const Array& y = retained_output_array(0);
  const Array& hx = retained_input_array(kHx);
  const Array before = array::empty(y.shape(), y.dtype(), y.device());
  Step last{0, 0};
  for (const Step& step : steps_of(layer_)) {
    const int64_t known = std::min(last.count, step.count);
    if (known > 0) {
      rows_of(before, step.first, known).assign(rows_of(y, last.first, known));
    }
    if (known < step.count) {
      rows_of(before, step.first + known, step.count - known)
          .assign(rows_of(hx, known, step.count - known));
    }
    last = step;
  }
  return before;
}

Variables Layer::backward(const Indexes& wanted, const Variables& gy) {
  if (config().enable_backprop) return recorded_gradients(wanted, gy);
  return kept_by_cudnn_.reserve.defined() ? cudnn_gradients(wanted, gy)
                                          : gradients(wanted, gy);
}

Variables Layer::cudnn_gradients(const Indexes& wanted, const Variables& gy) {
  Arrays in;
  for (size_t i = 0; i < inputs().size(); ++i) {
    in.push_back(retained_input_array(static_cast<int>(i)));
  }
  const auto data_of = [&](size_t i) {
    return i < gy.size() && gy[i].defined() ? gy[i].data() : Array();
  };
  const NStepInputs inputs = inputs_of(in);
  const Array gys[] = {data_of(0), data_of(1), data_of(2)};
  const bool wants_weights = std::ranges::any_of(
      wanted, [](int i) { return i != kX && i != kHx && i != kCx; });
  const std::optional<NStepInputs> result =
      n_step_gradients_cudnn(in[kX].device(), layer_,
                             {inputs, retained_output_array(0), kept_by_cudnn_,
                              gys[0], gys[1], gys[2], wants_weights});
  if (!result) {  // cuDNN was disabled after the forward pass
    const auto scope = force_backprop_mode();
    return recorded_gradients(wanted, gy);
  }
  const Array* const gradients[] = {&result->x,  &result->hx, &result->Wx,
                                    &result->Wh, &result->bx, &result->bh,
                                    &result->cx};
  Variables results;
  for (const int i : wanted) results.push_back(as_variable(*gradients[i]));
  return results;
}

Variables Layer::gradients(const Indexes& wanted, const Variables& gy) const {
  const Array& x = retained_input_array(kX);
  const Array& Wx = retained_input_array(kWx);
  const Array& Wh = retained_input_array(kWh);
  const Array& hx = retained_input_array(kHx);
  const Array before = h_before();
  const auto copy_of = [&](size_t i) {
    return gy[i].defined() ? gy[i].data().copy() : array::zeros_like(hx);
  };
  LayerBackward a;
  a.kept = &kept_;
  a.cells = &cells_;
  a.y = &retained_output_array(0);
  a.h_before = &before;
  if (gy[0].defined()) a.gy = gy[0].data();
  a.gh = copy_of(1);
  if (rule_.has_cells) a.gc = copy_of(2);
  const Shape shape{x.shape()[0], Wh.shape()[0]};
  a.g_from_x = array::empty(shape, x.dtype(), x.device());
  a.g_from_h = rule_.keeps_apart ? array::empty(shape, x.dtype(), x.device())
                                 : a.g_from_x;
  std::vector<Step> steps = steps_of(layer_);
  std::reverse(steps.begin(), steps.end());
  for (const Step& step : steps) {
    rule_.backward(a, step.first, step.count);
    array::gemm(rows_of(a.g_from_h, step.first, step.count), Wh,
                rows_of(a.gh, 0, step.count),
                {.beta = rule_.has_shortcut ? 1.0 : 0.0});
  }
  Variables results;
  for (const int i : wanted) {
    const auto gradient = [&]() -> Array {
      switch (i) {
        case kX:
          return array::matmul(a.g_from_x, Wx);
        case kHx:
          return a.gh;
        case kWx:
          return array::matmul(a.g_from_x, x, {.transa = true});
        case kWh:
          return array::matmul(a.g_from_h, before, {.transa = true});
        case kBx:
          return array::sum(a.g_from_x, {.axis = 0});
        case kBh:
          return array::sum(a.g_from_h, {.axis = 0});
        default:
          return a.gc;
      }
    };
    results.push_back(as_variable(gradient()));
  }
  return results;
}

Variables Layer::recorded_gradients(const Indexes& wanted,
                                    const Variables& gy) {
  // Uses new variables: the graph's hold gradients of the running pass.
  Variables in;
  for (size_t i = 0; i < inputs().size(); ++i) {
    in.push_back(identity(retained_input(static_cast<int>(i))));
  }
  std::vector<Variable> outputs;
  GradOptions options{.enable_double_backprop = true};
  const Variables all = composed(layer_, in);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!gy[i].defined()) continue;
    outputs.push_back(all[i]);
    options.grad_outputs.push_back(gy[i]);
  }
  std::vector<Variable> variables;
  for (const int i : wanted) variables.push_back(in[i]);
  const std::vector<Variable> results = grad(outputs, variables, options);
  return {results.begin(), results.end()};
}

}  // namespace

int gate_count(NStepKind kind) { return NStepRule::of(kind).gates; }

NStepLayerResult n_step_layer(const NStepLayer& layer, const Variable& x,
                              const Variable& hx, const Variable& cx,
                              const NStepWeights& w) {
  std::vector<Variable> in{x, hx, w.Wx, w.Wh, w.bx, w.bh};
  if (cx.defined()) in.push_back(cx);
  Variables out = apply_all<Layer>(std::span<const Variable>(in), layer);
  NStepLayerResult result{std::move(out[0]), std::move(out[1]), {}};
  if (out.size() > 2) result.cy = std::move(out[2]);
  return result;
}

}  // namespace catena::functions
