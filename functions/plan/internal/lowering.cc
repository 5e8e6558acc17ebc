#include "catena/functions/plan/internal/lowering.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "catena/array/cpu/onednn/description.h"
#include "catena/array/cpu/onednn/operation.h"
#include "catena/array/cpu/onednn/primitive.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc.h"
#include "catena/functions/activation/internal/activation_ops.h"
#include "catena/functions/connection/internal/winograd_forward.h"
#include "catena/functions/connection/winograd.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/math/internal/arithmetic_ops.h"
#include "catena/functions/plan/internal/elementwise_chain.h"

namespace catena::functions {
namespace {

namespace onednn = cpu::onednn;
using dnnl::algorithm;
using dnnl::memory;
using Source = StepArgument::Source;

constexpr auto kInference = dnnl::prop_kind::forward_inference;

template <class Rule>
bool is_rule(const TracedCall& call) {
  return dynamic_cast<const ElementwiseNode<Rule>*>(call.node.get()) != nullptr;
}

// A product (convolution or linear) with what is folded into it.
struct Group {
  int product = -1;  // calls
  int normalization = -1;
  int addition = -1;
  int relu = -1;
  int tail = -1;
  int result = -1;    // value
  int residual = -1;  // value
};

// Where a value lies in a layout of oneDNN.
struct Place {
  int slot;
  memory::desc desc;
};

class Lowering {
 public:
  Lowering(const TracedGraph& graph, Dtype precision)
      : graph_(graph),
        precision_(precision),
        remaining_(graph.values.size()),
        consumers_(graph.values.size()),
        group_of_(graph.calls.size(), -1),
        places_(graph.values.size()),
        has_array_(graph.values.size()) {
    for (size_t i = 0; i < graph.values.size(); ++i) {
      remaining_[i] = graph.values[i].uses;
      has_array_[i] = graph.values[i].is_leaf();
    }
    for (int i = 0; i < n_calls(); ++i) {
      for (const int v : graph.calls[i].inputs) consumers_[v].push_back(i);
    }
  }

  StepList lower() && {
    find_groups();
    for (int i = 0; i < n_calls(); ++i) {
      if (const int length = chain_length(i); length > 1) {
        lower_chain(i, length);
        i += length - 1;
        continue;
      }
      const int group = group_of_[i];
      if (group >= 0 && groups_[group].tail != i) continue;
      if (group < 0 || !lower_group(groups_[group])) {
        if (group >= 0) {
          lower_apart(groups_[group]);
        } else {
          lower_call(i);
        }
      }
    }
    for (const int v : graph_.outputs) to_array(v);
    steps_.finish(graph_);
    return std::move(steps_);
  }

 private:
  int n_calls() const { return static_cast<int>(graph_.calls.size()); }
  const TracedCall& call(int i) const { return graph_.calls[i]; }
  const TracedValue& value(int v) const { return graph_.values[v]; }
  bool is_float32(int v) const { return value(v).dtype == Dtype::kFloat32; }
  bool is_constant(int v) const {
    return value(v).kind == TracedValue::Kind::kParameter ||
           value(v).kind == TracedValue::Kind::kConstant;
  }

  // Whether all arguments are nonempty float32 arrays, and those from 1 on
  // weights.
  bool has_weights(const TracedCall& c) const {
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      if (!is_float32(c.inputs[i]) || size_of(value(c.inputs[i]).shape) == 0) {
        return false;
      }
      if (i > 0 && !is_constant(c.inputs[i])) return false;
    }
    return !c.inputs.empty() && c.outputs.size() == 1 && c.outputs[0] >= 0;
  }
  bool is_convolution(const TracedCall& c) const {
    return c.recorded == "convolution_nd" && has_weights(c) &&
           value(c.inputs[0]).shape.ndim() <= 5 &&
           size_of(value(c.outputs[0]).shape) > 0;
  }
  bool is_linear(const TracedCall& c) const {
    return c.node->label() == "linear" && has_weights(c) &&
           c.inputs.size() >= 2 && value(c.inputs[0]).shape.ndim() == 2 &&
           value(c.inputs[1]).shape.ndim() == 2;
  }

  // The only call that reads a value, or -1.
  int only_consumer(int v) const {
    return value(v).uses == 1 && consumers_[v].size() == 1 ? consumers_[v][0]
                                                           : -1;
  }

  bool is_normalization_of(int i, int v) const {
    const TracedCall& c = call(i);
    if (c.recorded != "fixed_batch_normalization" || c.inputs.size() != 5 ||
        c.inputs[0] != v || !has_weights(c)) {
      return false;
    }
    const Shape& x = value(v).shape;
    Shape others = {0};
    for (int axis = 2; axis < x.ndim(); ++axis) others.push_back(axis);
    return c.sizes("axis") == others;
  }

  void find_groups() {
    for (int i = 0; i < n_calls(); ++i) {
      const TracedCall& c = call(i);
      const bool is_conv = is_convolution(c);
      if (!is_conv && !is_linear(c)) continue;
      Group group{.product = i, .tail = i, .result = c.outputs[0]};
      const auto extend = [&](int next) {
        group.tail = next;
        group.result = call(next).outputs[0];
        return only_consumer(group.result);
      };
      int next = only_consumer(group.result);
      if (is_conv && next >= 0 && is_normalization_of(next, group.result)) {
        group.normalization = next;
        next = extend(next);
      }
      if (is_conv && next >= 0 && group_of_[next] < 0 &&
          is_rule<Add>(call(next))) {
        const std::vector<int>& in = call(next).inputs;
        const int other = in[0] == group.result ? in[1] : in[0];
        if (other != group.result && is_float32(other) &&
            value(other).shape == value(group.result).shape) {
          group.addition = next;
          group.residual = other;
          next = extend(next);
        }
      }
      if (next >= 0 && is_rule<Relu>(call(next))) {
        group.relu = next;
        extend(next);
      }
      const int number = static_cast<int>(groups_.size());
      for (const int member :
           {group.product, group.normalization, group.addition, group.relu}) {
        if (member >= 0) group_of_[member] = number;
      }
      groups_.push_back(group);
    }
  }

  std::string name_of(const Group& group) const {
    std::string name;
    for (const int member :
         {group.product, group.normalization, group.addition, group.relu}) {
      if (member < 0) continue;
      if (!name.empty()) name += " + ";
      name += call(member).node->label();
    }
    return name;
  }

  // The calls of a group that oneDNN does not support.
  void lower_apart(const Group& group) {
    for (const int member :
         {group.product, group.normalization, group.addition, group.relu}) {
      if (member >= 0) add_call(member);
    }
  }

  bool lower_group(const Group& group) {
    return is_convolution(call(group.product)) ? lower_convolution(group)
                                               : lower_linear(group);
  }

  void lower_call(int i) {
    const TracedCall& c = call(i);
    const bool is_image = c.inputs.size() == 1 && c.outputs.size() == 1 &&
                          is_float32(c.inputs[0]) &&
                          size_of(value(c.inputs[0]).shape) > 0 &&
                          c.outputs[0] >= 0;
    if (is_image && (c.recorded == "max_pooling_nd" ||
                     c.recorded == "average_pooling_nd")) {
      if (lower_pooling(i)) return;
    }
    if (is_image && is_rule<Relu>(c) && !places_[c.inputs[0]].empty()) {
      if (lower_relu(i)) return;
    }
    if (c.node->label() == "concat" && lower_concat(i)) return;
    add_call(i);
  }

  // Whether the call computes an array from arrays of its shape and dtype, and
  // numbers, element by element.
  bool is_elementwise(int i) const {
    const TracedCall& c = call(i);
    if (group_of_[i] >= 0 || c.outputs.size() != 1 || c.outputs[0] < 0 ||
        dynamic_cast<const ElementwiseFunction*>(c.node.get()) == nullptr) {
      return false;
    }
    const TracedValue& y = value(c.outputs[0]);
    return std::ranges::all_of(c.inputs, [&](int v) {
      return value(v).dtype == y.dtype &&
             (value(v).shape == y.shape || size_of(value(v).shape) == 1);
    });
  }

  // The number of elementwise calls of one shape from call i on; 0 where
  // oneDNN's relu spares turning images.
  int chain_length(int i) const {
    if (!is_elementwise(i) ||
        (is_rule<Relu>(call(i)) && !has_array_[call(i).inputs[0]])) {
      return 0;
    }
    const TracedValue& first = value(call(i).outputs[0]);
    int end = i + 1;
    while (end < n_calls() && is_elementwise(end) &&
           value(call(end).outputs[0]).shape == first.shape &&
           value(call(end).outputs[0]).dtype == first.dtype) {
      ++end;
    }
    return end - i;
  }

  void lower_chain(int begin, int length) {
    const std::span calls = std::span(graph_.calls).subspan(begin, length);
    Step step{.description = {.functions = {},
                              .kind = "elementwise",
                              .shape = value(calls[0].outputs[0]).shape}};
    std::map<int, int> numbers;  // of values in the chain
    std::map<int, int> uses;     // by calls of the chain
    for (const TracedCall& c : calls) {
      for (const int v : c.inputs) ++uses[v];
      numbers[c.outputs[0]] = -1;
    }
    for (const auto& [v, count] : uses) {
      if (numbers.contains(v)) continue;
      to_array(v);
      numbers[v] = static_cast<int>(step.arguments.size());
      step.arguments.push_back({.source = Source::kArray, .number = v});
    }
    const auto arguments = static_cast<int>(step.arguments.size());
    std::vector<ElementwiseChain::Call> chained;
    std::vector<int> outputs;
    for (const TracedCall& c : calls) {
      const int y = c.outputs[0];
      numbers[y] = arguments + static_cast<int>(chained.size());
      chained.push_back(
          {dynamic_cast<const ElementwiseFunction*>(c.node.get()), {}});
      for (const int v : c.inputs) {
        chained.back().inputs.push_back(numbers[v]);
        --remaining_[v];
      }
      std::string& names = step.description.functions;
      if (!names.empty()) names += ", ";
      names += c.node->label();
      has_array_[y] = true;
      if (value(y).uses == uses[y]) continue;
      outputs.push_back(numbers[y]);
      step.arguments.push_back({.source = Source::kResult, .number = y});
    }
    step.kernel = [chain = ElementwiseChain(value(calls[0].outputs[0]).dtype,
                                            arguments, chained, outputs)](
                      std::span<const Array> arrays) { chain.run(arrays); };
    steps_.add(std::move(step));
  }

  void add_call(int i) {
    const TracedCall& c = call(i);
    for (const int v : c.inputs) to_array(v);
    Shape shape;
    for (const int v : c.outputs) {
      if (v < 0) continue;
      has_array_[v] = true;
      if (shape.empty()) shape = value(v).shape;
    }
    steps_.add({.description = {.functions = std::string(c.node->label()),
                                .kind = "call",
                                .shape = shape},
                .call = &c});
    for (const int v : c.inputs) --remaining_[v];
  }

  // Makes the value an array in C order.
  void to_array(int v) {
    if (has_array_[v]) return;
    const Place& place = places_[v].front();
    const memory::desc plain = onednn::describe(value(v).shape, value(v).dtype);
    Step step = reorder(place.desc, plain, v);
    step.arguments = {{.id = DNNL_ARG_FROM,
                       .source = Source::kSlot,
                       .number = place.slot,
                       .desc = place.desc},
                      {.id = DNNL_ARG_TO,
                       .source = Source::kResult,
                       .number = v,
                       .desc = plain}};
    steps_.add(std::move(step));
    has_array_[v] = true;
  }

  Step reorder(const memory::desc& from, const memory::desc& to, int v) const {
    const dnnl::reorder::primitive_desc description(onednn::engine(), from,
                                                    onednn::engine(), to);
    return {.description = {.functions = "reorder",
                            .kind = "reorder",
                            .shape = value(v).shape},
            .primitive = dnnl::reorder(description)};
  }

  // The layout in which a value lies, or C order.
  memory::desc layout_of(int v) const {
    return places_[v].empty() ? onednn::describe(value(v).shape, value(v).dtype)
                              : places_[v].front().desc;
  }

  StepArgument argument_of(int id, int v) const {
    if (places_[v].empty()) {
      return {.id = id,
              .source = Source::kArray,
              .number = v,
              .desc = onednn::describe(value(v).shape, value(v).dtype)};
    }
    const Place& place = places_[v].front();
    return {.id = id,
            .source = Source::kSlot,
            .number = place.slot,
            .desc = place.desc};
  }

  // The value as an argument in a layout, reordered if necessary.
  StepArgument argument_in(int id, int v, const memory::desc& wanted) {
    for (const Place& place : places_[v]) {
      if (place.desc == wanted) {
        return {.id = id,
                .source = Source::kSlot,
                .number = place.slot,
                .desc = wanted};
      }
    }
    const memory::desc plain = onednn::describe(value(v).shape, value(v).dtype);
    if (has_array_[v] && plain == wanted) {
      return {.id = id, .source = Source::kArray, .number = v, .desc = wanted};
    }
    const int slot = reordered_copy(v, wanted);
    places_[v].push_back({slot, wanted});
    return {.id = id, .source = Source::kSlot, .number = slot, .desc = wanted};
  }

  int reordered_copy(int v, const memory::desc& wanted) {
    StepArgument from = argument_of(DNNL_ARG_FROM, v);
    Step step = reorder(from.desc, wanted, v);
    const int slot = steps_.add_slot(static_cast<int64_t>(wanted.get_size()));
    step.arguments = {std::move(from),
                      {.id = DNNL_ARG_TO,
                       .source = Source::kSlot,
                       .number = slot,
                       .desc = wanted}};
    steps_.add(std::move(step));
    return slot;
  }

  StepArgument new_slot(int id, int v, const memory::desc& desc) {
    const int slot = steps_.add_slot(static_cast<int64_t>(desc.get_size()));
    places_[v].push_back({slot, desc});
    return {.id = id, .source = Source::kSlot, .number = slot, .desc = desc};
  }

  StepArgument fixed(int id, const memory& memory) {
    return {.id = id,
            .source = Source::kFixed,
            .desc = memory.get_desc(),
            .memory = memory};
  }

  static dnnl::primitive_attr attributes_of(const Group& group) {
    dnnl::post_ops after;
    if (group.addition >= 0) after.append_sum(1);
    if (group.relu >= 0) {
#if DNNL_VERSION_MAJOR >= 3
      after.append_eltwise(algorithm::eltwise_relu, 0, 0);
#else
      after.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
#endif
    }
    dnnl::primitive_attr attributes = onednn::with_user_scratchpad();
    attributes.set_post_ops(after);
    return attributes;
  }

  // Multiplies weights by the scale of batch normalization, in double
  // precision, and reorders them.
  void pack(const TracedCall& product, const TracedCall* normalization,
            const memory::desc& plain, const memory& weights,
            const memory& bias) {
    pack(product, normalization,
         [plain, weights, bias](const Array& W, std::span<const double> b) {
           auto* const to = static_cast<float*>(bias.get_data_handle());
           std::ranges::transform(
               b, to, [](double v) { return static_cast<float>(v); });
           memory from(plain, onednn::engine(), W.raw_data());
           memory target = weights;
           dnnl::stream stream(onednn::engine());
           dnnl::reorder(from, target).execute(stream, from, target);
           stream.wait();
         });
  }

  // `store` keeps the folded weights and biases.
  void pack(const TracedCall& product, const TracedCall* normalization,
            std::function<void(const Array&, std::span<const double>)> store) {
    PackedWeights packed;
    packed.leaves.assign(product.inputs.begin() + 1, product.inputs.end());
    if (normalization != nullptr) {
      packed.leaves.insert(packed.leaves.end(),
                           normalization->inputs.begin() + 1,
                           normalization->inputs.end());
    }
    packed.pack = [this_graph = &graph_, &product, normalization,
                   store = std::move(store)] {
      const auto leaf = [&](int v) { return this_graph->leaf(v).contiguous(); };
      Array W = leaf(product.inputs[1]);
      const int64_t out = W.shape()[0];
      std::vector<double> b(out);
      if (product.inputs.size() > 2) {
        const Array given = leaf(product.inputs[2]);
        for (int64_t i = 0; i < out; ++i) b[i] = given.data<float>()[i];
      }
      if (normalization != nullptr) {
        Array of[4];
        for (int k = 0; k < 4; ++k) of[k] = leaf(normalization->inputs[k + 1]);
        const double eps = normalization->number("eps");
        W = W.copy();
        const int64_t columns = W.size() / out;
        for (int64_t i = 0; i < out; ++i) {
          const double scale =
              of[0].data<float>()[i] / std::sqrt(of[3].data<float>()[i] + eps);
          b[i] =
              (b[i] - of[2].data<float>()[i]) * scale + of[1].data<float>()[i];
          float* const row = W.data<float>() + i * columns;
          for (int64_t k = 0; k < columns; ++k) {
            row[k] = static_cast<float>(row[k] * scale);
          }
        }
      }
      store(W, b);
    };
    steps_.packed().push_back(std::move(packed));
  }

  bool lower_convolution(const Group& group) {
    const TracedCall& c = call(group.product);
    const int x = c.inputs[0];
    const int y = group.result;
    const Shape& in = value(x).shape;
    const Shape& out = value(y).shape;
    Shape kernel = value(c.inputs[1]).shape;
    const int64_t groups = c.integer("groups");
    const int64_t channels = kernel[0];
    memory::dims stride, dilate, pad_left, pad_right;
    for (int i = 0; i < in.ndim() - 2; ++i) {
      const int64_t step = c.sizes("stride")[i];
      const int64_t gap = c.sizes("dilate")[i];
      const int64_t pad = c.sizes("pad")[i];
      const int64_t reach =
          (out[i + 2] - 1) * step + (kernel[i + 2] - 1) * gap + 1;
      stride.push_back(step);
      dilate.push_back(gap - 1);
      pad_left.push_back(pad);
      pad_right.push_back(reach - pad - in[i + 2]);
    }
    const Window window{.ksize = Shape(kernel.begin() + 2, in.ndim() - 2),
                        .stride = c.sizes("stride"),
                        .pad = c.sizes("pad"),
                        .dilate = c.sizes("dilate")};
    if (precision_ == Dtype::kFloat32 && groups == 1 && is_winograd_enabled() &&
        suits_winograd(in, channels, window)) {
      lower_winograd(group, window.pad);
      return true;
    }
    if (groups > 1) {
      kernel[0] /= groups;
      kernel.insert(0, groups);
    }
    const memory::desc plain = onednn::describe(kernel, Dtype::kFloat32);
    const memory::desc b = onednn::describe(Shape{channels}, Dtype::kFloat32);
    const auto describe = [&](algorithm by) {
      return onednn::describe_primitive<dnnl::convolution_forward>(
          attributes_of(group), kInference, by,
          onednn::describe_any(in, precision_),
          onednn::describe_any(kernel, precision_), b,
          onednn::describe_any(out, precision_), stride, dilate, pad_left,
          pad_right);
    };
    auto description = describe(algorithm::convolution_auto);
    if (description.get(/*allow_empty=*/true) == nullptr) {
      description = describe(algorithm::convolution_direct);
    }
    if (description.get(/*allow_empty=*/true) == nullptr) return false;

    Step step{.description = {.functions = name_of(group),
                              .kind = "oneDNN",
                              .shape = out},
              .primitive = dnnl::convolution_forward(description)};
    step.arguments.push_back(
        argument_in(DNNL_ARG_SRC, x, description.src_desc()));
    --remaining_[x];
    const memory weights = steps_.fixed(description.weights_desc());
    const memory bias = steps_.fixed(b);
    pack(c, group.normalization < 0 ? nullptr : &call(group.normalization),
         plain, weights, bias);
    step.arguments.push_back(fixed(DNNL_ARG_WEIGHTS, weights));
    step.arguments.push_back(fixed(DNNL_ARG_BIAS, bias));
    const memory::desc y_desc = description.dst_desc();
    if (group.addition >= 0) {
      step.arguments.push_back(residual(group.residual, y, y_desc));
    } else {
      step.arguments.push_back(new_slot(DNNL_ARG_DST, y, y_desc));
    }
    steps_.add_scratchpad(step, description.scratchpad_desc());
    steps_.add(std::move(step));
    return true;
  }

  StepArgument with_shape(StepArgument argument, int v) const {
    argument.shape = value(v).shape;
    return argument;
  }

  void lower_winograd(const Group& group, const Shape& pad) {
    const TracedCall& c = call(group.product);
    const int x = c.inputs[0];
    const int y = group.result;
    const memory::desc x_desc =
        onednn::describe(value(x).shape, Dtype::kFloat32);
    const memory::desc y_desc =
        onednn::describe(value(y).shape, Dtype::kFloat32);
    struct Weights {
      std::optional<WinogradWeights> W = std::nullopt;
      Array b = {};
    };
    const auto weights = std::make_shared<Weights>();
    pack(c, group.normalization < 0 ? nullptr : &call(group.normalization),
         [weights](const Array& W, std::span<const double> b) {
           weights->W.emplace(W);
           weights->b = array::array(std::vector<double>(b.begin(), b.end()))
                            .astype(Dtype::kFloat32);
         });
    Step step{.description = {.functions = name_of(group),
                              .kind = "Winograd",
                              .shape = value(y).shape}};
    step.arguments.push_back(
        with_shape(argument_in(DNNL_ARG_SRC, x, x_desc), x));
    --remaining_[x];
    const bool adds = group.addition >= 0;
    step.arguments.push_back(
        with_shape(adds ? residual(group.residual, y, y_desc)
                        : new_slot(DNNL_ARG_DST, y, y_desc),
                   y));
    step.kernel = [weights, pad, adds,
                   relu = group.relu >= 0](std::span<const Array> in) {
      winograd_forward(
          in[0], *weights->W, pad,
          {.b = weights->b, .residual = adds ? in[1] : Array(), .relu = relu},
          in[1]);
    };
    steps_.add(std::move(step));
  }

  // The memory of the residual becomes that of the sum, unless others read it
  // later.
  StepArgument residual(int v, int y, const memory::desc& desc) {
    --remaining_[v];
    if (remaining_[v] == 0) {
      for (const Place& place : places_[v]) {
        if (place.desc != desc) continue;
        places_[y].push_back(place);
        return {.id = DNNL_ARG_DST,
                .source = Source::kSlot,
                .number = place.slot,
                .desc = desc};
      }
    }
    const int slot = reordered_copy(v, desc);
    places_[y].push_back({slot, desc});
    return {.id = DNNL_ARG_DST,
            .source = Source::kSlot,
            .number = slot,
            .desc = desc};
  }

  bool lower_linear(const Group& group) {
    const TracedCall& c = call(group.product);
    const int x = c.inputs[0];
    const int y = group.result;
    const Shape& kernel = value(c.inputs[1]).shape;
    if (value(y).shape.ndim() != 2) return false;
    const memory::desc plain = onednn::describe(kernel, Dtype::kFloat32);
    const memory::desc b = onednn::describe(Shape{kernel[0]}, Dtype::kFloat32);
    const memory::desc y_desc =
        onednn::describe(value(y).shape, Dtype::kFloat32);
    const auto description =
        onednn::describe_primitive<dnnl::inner_product_forward>(
            attributes_of(group), kInference,
            onednn::describe(value(x).shape, precision_),
            onednn::describe_any(kernel, precision_), b, y_desc);
    if (description.get(/*allow_empty=*/true) == nullptr) return false;
    Step step{.description = {.functions = name_of(group),
                              .kind = "oneDNN",
                              .shape = value(y).shape},
              .primitive = dnnl::inner_product_forward(description)};
    step.arguments.push_back(
        argument_in(DNNL_ARG_SRC, x, description.src_desc()));
    --remaining_[x];
    const memory weights = steps_.fixed(description.weights_desc());
    const memory bias = steps_.fixed(b);
    pack(c, nullptr, plain, weights, bias);
    step.arguments.push_back(fixed(DNNL_ARG_WEIGHTS, weights));
    step.arguments.push_back(fixed(DNNL_ARG_BIAS, bias));
    step.arguments.push_back({.id = DNNL_ARG_DST,
                              .source = Source::kResult,
                              .number = y,
                              .desc = y_desc});
    has_array_[y] = true;
    steps_.add_scratchpad(step, description.scratchpad_desc());
    steps_.add(std::move(step));
    return true;
  }

  bool lower_pooling(int i) {
    const TracedCall& c = call(i);
    const int x = c.inputs[0];
    const int y = c.outputs[0];
    const Shape& in = value(x).shape;
    const Shape& out = value(y).shape;
    // In C order our own is as good.
    if (places_[x].empty() || in.ndim() > 5 || size_of(out) == 0) return false;
    memory::dims kernel, stride, pad_left, pad_right;
    for (int d = 0; d < in.ndim() - 2; ++d) {
      kernel.push_back(c.sizes("ksize")[d]);
      stride.push_back(c.sizes("stride")[d]);
      pad_left.push_back(c.sizes("pad")[d]);
      pad_right.push_back((out[d + 2] - 1) * stride[d] + kernel[d] -
                          pad_left[d] - in[d + 2]);
    }
    const algorithm by = c.recorded == "max_pooling_nd"
                             ? algorithm::pooling_max
                             : algorithm::pooling_avg_include_padding;
    const memory::desc x_desc = layout_of(x);
    const memory::desc y_desc = onednn::describe_any(out, precision_);
#if DNNL_VERSION_MAJOR >= 3
    const memory::dims dilate(kernel.size(), 0);
    const auto description = onednn::describe_primitive<dnnl::pooling_forward>(
        onednn::with_user_scratchpad(), kInference, by, x_desc, y_desc, stride,
        kernel, dilate, pad_left, pad_right);
#else
    const auto description = onednn::describe_primitive<dnnl::pooling_forward>(
        onednn::with_user_scratchpad(), kInference, by, x_desc, y_desc, stride,
        kernel, pad_left, pad_right);
#endif
    if (description.get(/*allow_empty=*/true) == nullptr) return false;
    add_simple(i, dnnl::pooling_forward(description),
               {argument_of(DNNL_ARG_SRC, x)}, description.dst_desc(),
               description.scratchpad_desc());
    return true;
  }

  bool lower_relu(int i) {
    const memory::desc desc = layout_of(call(i).inputs[0]);
#if DNNL_VERSION_MAJOR >= 3
    const auto description = onednn::describe_primitive<dnnl::eltwise_forward>(
        onednn::with_user_scratchpad(), kInference, algorithm::eltwise_relu,
        desc, desc, 0.F, 0.F);
#else
    const auto description = onednn::describe_primitive<dnnl::eltwise_forward>(
        onednn::with_user_scratchpad(), kInference, algorithm::eltwise_relu,
        desc, 0.F, 0.F);
#endif
    if (description.get(/*allow_empty=*/true) == nullptr) return false;
    add_simple(i, dnnl::eltwise_forward(description),
               {argument_of(DNNL_ARG_SRC, call(i).inputs[0])}, desc,
               description.scratchpad_desc());
    return true;
  }

  // Joins the channels of images that lie in blocks.
  bool lower_concat(int i) {
    const TracedCall& c = call(i);
    if (c.outputs.size() != 1 || c.outputs[0] < 0) return false;
    const Shape& out = value(c.outputs[0]).shape;
    std::vector<memory::desc> parts;
    int64_t channels = 0;
    for (const int v : c.inputs) {
      const Shape& in = value(v).shape;
      if (places_[v].empty() || in.ndim() != 4 || size_of(in) == 0) {
        return false;
      }
      channels += in[1];
      parts.push_back(places_[v].front().desc);
      if (in[0] != out[0] || in[2] != out[2] || in[3] != out[3]) return false;
    }
    if (out.ndim() != 4 || out[1] != channels) return false;
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::concat::primitive_desc description(
        onednn::engine(), 1, parts, onednn::with_user_scratchpad());
#else
    const dnnl::concat::primitive_desc description(
        1, parts, onednn::engine(), onednn::with_user_scratchpad());
#endif
    std::vector<StepArgument> arguments;
    for (size_t k = 0; k < c.inputs.size(); ++k) {
      arguments.push_back(argument_of(
          DNNL_ARG_MULTIPLE_SRC + static_cast<int>(k), c.inputs[k]));
    }
    add_simple(i, dnnl::concat(description), std::move(arguments),
               description.dst_desc(), description.scratchpad_desc());
    return true;
  }

  void add_simple(int i, const dnnl::primitive& primitive,
                  std::vector<StepArgument> arguments,
                  const memory::desc& result, const memory::desc& scratchpad) {
    const TracedCall& c = call(i);
    Step step{.description = {.functions = std::string(c.node->label()),
                              .kind = "oneDNN",
                              .shape = value(c.outputs[0]).shape},
              .primitive = primitive,
              .arguments = std::move(arguments)};
    step.arguments.push_back(new_slot(DNNL_ARG_DST, c.outputs[0], result));
    steps_.add_scratchpad(step, scratchpad);
    steps_.add(std::move(step));
    for (const int v : c.inputs) --remaining_[v];
  }

  const TracedGraph& graph_;
  Dtype precision_;
  std::vector<int> remaining_;  // uses of values by calls not yet lowered
  std::vector<std::vector<int>> consumers_;
  std::vector<int> group_of_;
  std::vector<Group> groups_;
  std::vector<std::vector<Place>> places_;
  std::vector<char> has_array_;
  StepList steps_;
};

}  // namespace

StepList lower(const TracedGraph& graph, Dtype precision) {
  StepList steps;
  onednn::with_errors_of("ExecutionPlan",
                         [&] { steps = Lowering(graph, precision).lower(); });
  return steps;
}

}  // namespace catena::functions
