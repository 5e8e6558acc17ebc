#include "catena/functions/rnn/internal/n_step_layer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "catena/array/assign_all.h"
#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/identity.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/rnn/internal/n_step_cudnn.h"
#include "catena/functions/rnn/internal/n_step_rule.h"

namespace catena::functions {
namespace {

// The inputs of the node: x, hx, the weights and the biases, each by gate; for
// an LSTM, cx comes last.
enum InputIndex { kX, kHx, kFirstWeight };
enum WeightKind { kWx, kWh, kBx, kBh };
constexpr int kWeightKinds = 4;

// Those of a kind among the inputs.
template <class T>
std::span<const T> weights_of(std::span<const T> in, WeightKind kind,
                              int gates) {
  return in.subspan(static_cast<size_t>(kFirstWeight + kind * gates),
                    static_cast<size_t>(gates));
}
int cx_index(int gates) { return kFirstWeight + kWeightKinds * gates; }

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
  if (rule.has_cells) states.c = in.back();
  const auto stacked = [&](WeightKind kind) {
    const auto weights = weights_of<Variable>(in, kind, rule.gates);
    return rule.gates == 1 ? weights[0] : concat(weights, {.axis = 0});
  };
  const Variable Wh = stacked(kWh);
  const Variable bh = stacked(kBh);
  const Variable from_x = linear(in[kX], stacked(kWx), stacked(kBx));
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
        linear(after.h, Wh, bh));
    states.h = replace_rows(states.h, after.h);
    if (rule.has_cells) states.c = replace_rows(states.c, after.c);
    ys.push_back(after.h);
  }
  if (layer.is_reversed) std::reverse(ys.begin(), ys.end());
  const Variable none = get_item(from_x, {Slice(), Slice(0, Wh.shape()[1])});
  Variables outputs{ys.empty() ? none : concat(ys, {.axis = 0}), states.h};
  if (rule.has_cells) outputs.push_back(states.c);
  return outputs;
}

NStepInputs inputs_of(const Arrays& in, int gates) {
  const auto weights = std::span<const Array>(in).subspan(kFirstWeight);
  const auto count = static_cast<size_t>(2 * gates);
  NStepInputs result{.x = in[kX], .hx = in[kHx], .ws = {}, .bs = {}, .cx = {}};
  result.ws.assign(weights.begin(), weights.begin() + count);
  result.bs.assign(weights.begin() + count, weights.begin() + 2 * count);
  if (weights.size() > 2 * count) result.cx = weights.back();
  return result;
}

class Layer final : public FunctionNode {
 public:
  explicit Layer(const NStepLayer& layer)
      : layer_(layer), rule_(NStepRule::of(layer.kind)) {}

  std::string_view label() const override { return "n_step_layer"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::NStepLayer>(
        {{"kind", name_of(layer_.kind)}, {"is_reversed", layer_.is_reversed}});
  }

  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;

 private:
  Variables gradients(const Indexes& wanted, const Variables& gy) const;
  Variables recorded_gradients(const Indexes& wanted, const Variables& gy);
  Array stacked(const Arrays& in, WeightKind kind) const;
  Array h_before() const;
  Variables cudnn_gradients(const Indexes& wanted, const Variables& gy);

  NStepLayer layer_;
  const NStepRule& rule_;
  Array Wx_;  // of all gates
  Array Wh_;
  Array kept_;
  Array cells_;
  // Replaces all of these if cuDNN has run; undefined once the gradients have
  // used it.
  CudnnNStepKept kept_by_cudnn_;
};

// The weights of a kind, one gate's below another's.
Array Layer::stacked(const Arrays& in, WeightKind kind) const {
  const auto weights = weights_of<Array>(in, kind, rule_.gates);
  return rule_.gates == 1 ? weights[0] : array::concatenate(weights);
}

Arrays Layer::forward(const Arrays& in) {
  for (size_t i = 0; i < in.size(); ++i) retain_input(static_cast<int>(i));
  retain_output(0);
  const Array& x = in[kX];
  if (auto result = n_step_cudnn(x.device(), layer_, inputs_of(in, rule_.gates),
                                 config().enable_backprop)) {
    kept_by_cudnn_ = std::move(result->kept);
    Arrays outputs{result->y, result->hy};
    if (rule_.has_cells) outputs.push_back(result->cy);
    return outputs;
  }
  Wx_ = stacked(in, kWx);
  Wh_ = stacked(in, kWh);
  const Array bx = stacked(in, kBx);
  const Array bh = stacked(in, kBh);
  const int64_t units = Wh_.shape()[1];
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
    a.c = in[cx_index(rule_.gates)].copy();
  }
  const Array sources =
      width == a.kept.shape()[1] ? a.kept : a.kept[{Slice(), Slice(0, width)}];
  if (rule_.has_separate_from_h) a.from_h = make(a.h.shape()[0], width);
  // One product computes everything that does not depend on h.
  array::gemm(x, Wx_, sources,
              {.transb = true,
               .bias = rule_.has_separate_from_h ? bx : array::add(bx, bh)});
  const std::vector<Step> steps = steps_of(layer_);
  const Array WhT = steps.size() < kWorthTransposing ? Wh_.T() : Wh_.T().copy();
  for (const Step& step : steps) {
    const Array to = rule_.has_separate_from_h
                         ? rows_of(a.from_h, 0, step.count)
                         : rows_of(sources, step.first, step.count);
    array::gemm(rows_of(a.h, 0, step.count), WhT, to,
                {.beta = rule_.has_separate_from_h ? 0.0 : 1.0,
                 .bias = rule_.has_separate_from_h ? bh : Array()});
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
  Array before = array::empty(y.shape(), y.dtype(), y.device());
  std::vector<array::Assignment> assignments;
  const auto assign = [&](int64_t first, const Array& from) {
    assignments.push_back(
        {.to = rows_of(before, first, from.shape()[0]), .from = from});
  };
  Step last{0, 0};
  for (const Step& step : steps_of(layer_)) {
    const int64_t known = std::min(last.count, step.count);
    if (known > 0) {
      assign(step.first, rows_of(y, last.first, known));
    }
    if (known < step.count) {
      assign(step.first + known, rows_of(hx, known, step.count - known));
    }
    last = step;
  }
  array::assign_all(assignments);
  return before;
}

Variables Layer::backward(const Indexes& wanted, const Variables& gy) {
  if (config().enable_backprop) return recorded_gradients(wanted, gy);
  return kept_.defined() ? gradients(wanted, gy) : cudnn_gradients(wanted, gy);
}

Variables Layer::cudnn_gradients(const Indexes& wanted, const Variables& gy) {
  Arrays in;
  for (size_t i = 0; i < inputs().size(); ++i) {
    in.push_back(retained_input_array(static_cast<int>(i)));
  }
  const auto data_of = [&](size_t i) {
    return i < gy.size() && gy[i].defined() ? gy[i].data() : Array();
  };
  const NStepInputs inputs = inputs_of(in, rule_.gates);
  const Array gys[] = {data_of(0), data_of(1), data_of(2)};
  const bool wants_weights = std::ranges::any_of(wanted, [&](int i) {
    return i >= kFirstWeight && i < cx_index(rule_.gates);
  });
  CudnnNStepKept kept = std::exchange(kept_by_cudnn_, {});
  if (!kept.reserve.defined()) {  // the second of two backward passes
    auto again = n_step_cudnn(in[kX].device(), layer_, inputs, /*trains=*/true);
    if (again) kept = std::move(again->kept);
  }
  std::optional<NStepInputs> result;
  if (kept.reserve.defined()) {
    result = n_step_gradients_cudnn(in[kX].device(), layer_,
                                    {inputs, retained_output_array(0), kept,
                                     gys[0], gys[1], gys[2], wants_weights});
  }
  if (!result) {  // cuDNN was disabled after the forward pass
    const auto scope = force_backprop_mode();
    return recorded_gradients(wanted, gy);
  }
  std::vector<Array> gradients{result->x, result->hx};
  const auto add = [&](const std::vector<Array>& weights) {
    gradients.resize(gradients.size() + inputs.ws.size());
    std::ranges::copy(weights, gradients.end() - inputs.ws.size());
  };
  add(result->ws);
  add(result->bs);
  gradients.push_back(result->cx);
  Variables results;
  for (const int i : wanted) results.push_back(as_variable(gradients[i]));
  return results;
}

Variables Layer::gradients(const Indexes& wanted, const Variables& gy) const {
  const Array& x = retained_input_array(kX);
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
  const Shape shape{x.shape()[0], Wh_.shape()[0]};
  a.g_from_x = array::empty(shape, x.dtype(), x.device());
  a.g_from_h = rule_.has_separate_from_h
                   ? array::empty(shape, x.dtype(), x.device())
                   : a.g_from_x;
  std::vector<Step> steps = steps_of(layer_);
  std::reverse(steps.begin(), steps.end());
  for (const Step& step : steps) {
    rule_.backward(a, step.first, step.count);
    array::gemm(rows_of(a.g_from_h, step.first, step.count), Wh_,
                rows_of(a.gh, 0, step.count),
                {.beta = rule_.has_shortcut ? 1.0 : 0.0});
  }
  std::array<Array, kWeightKinds> of_weights;
  const auto gradient_of = [&](WeightKind kind) {
    switch (kind) {
      case kWx:
        return array::matmul(a.g_from_x, x, {.transa = true});
      case kWh:
        return array::matmul(a.g_from_h, before, {.transa = true});
      case kBx:
        return array::sum(a.g_from_x, {.axis = 0});
      case kBh:
        return array::sum(a.g_from_h, {.axis = 0});
    }
    __builtin_unreachable();
  };
  const auto gradient = [&](int i) -> Array {
    if (i == kX) return array::matmul(a.g_from_x, Wx_);
    if (i == kHx) return a.gh;
    if (i == cx_index(rule_.gates)) return a.gc;
    const int gate = (i - kFirstWeight) % rule_.gates;
    const auto kind = static_cast<WeightKind>((i - kFirstWeight) / rule_.gates);
    if (!of_weights[kind].defined()) of_weights[kind] = gradient_of(kind);
    const int64_t units = Wh_.shape()[1];
    return rows_of(of_weights[kind], gate * units, units);
  };
  Variables results;
  for (const int i : wanted) results.push_back(as_variable(gradient(i)));
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
  std::vector<Variable> in{x, hx};
  in.insert(in.end(), w.ws.begin(), w.ws.end());
  in.insert(in.end(), w.bs.begin(), w.bs.end());
  if (cx.defined()) in.push_back(cx);
  Variables out = apply_all<Layer>(std::span<const Variable>(in), layer);
  NStepLayerResult result{std::move(out[0]), std::move(out[1]), {}};
  if (out.size() > 2) result.cy = std::move(out[2]);
  return result;
}

}  // namespace catena::functions
