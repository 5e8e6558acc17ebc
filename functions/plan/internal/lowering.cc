#include "catena/functions/plan/internal/lowering.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "catena/array/core/stream_bytes.h"
#include "catena/array/creation.h"
#include "catena/array/onednn/description.h"
#include "catena/array/onednn/operation.h"
#include "catena/array/onednn/primitive.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/connection/internal/winograd_forward.h"
#include "catena/functions/connection/winograd.h"
#include "catena/functions/engines/elementwise/elementwise_function.h"
#include "catena/functions/kinds.h"
#include "catena/functions/plan/internal/elementwise_chain.h"
#include "catena/functions/plan/internal/folded_weights.h"
#include "catena/functions/plan/internal/product_groups.h"
#include "catena/functions/plan/internal/value_places.h"

namespace catena::functions {
namespace {

namespace onednn = cpu::onednn;
using dnnl::algorithm;
using dnnl::memory;
using Source = StepArgument::Source;

constexpr Dtype kDtypes[] = {Dtype::kFloat32};
constexpr auto kInference = dnnl::prop_kind::forward_inference;

class Lowering {
 public:
  Lowering(const TracedGraph& graph, Dtype precision)
      : graph_(graph),
        precision_(precision),
        groups_(graph, kDtypes),
        places_(graph, steps_) {}

  StepList lower() && {
    for (int i = 0; i < n_calls(); ++i) {
      if (const int length = chain_length(i); is_worth_chaining(i, length)) {
        lower_chain(i, length);
        i += length - 1;
        continue;
      }
      const ProductGroup* const group = groups_.of(i);
      if (group == nullptr) {
        lower_call(i);
      } else if (group->tail == i && !lower_group(*group)) {
        lower_apart(*group);
      }
    }
    for (const int v : graph_.outputs) places_.to_array(v);
    steps_.finish(graph_);
    return std::move(steps_);
  }

 private:
  int n_calls() const { return static_cast<int>(graph_.calls.size()); }
  const TracedCall& call(int i) const { return graph_.calls[i]; }
  const TracedValue& value(int v) const { return graph_.values[v]; }
  bool is_float32(int v) const { return value(v).dtype == Dtype::kFloat32; }

  // The calls of a group that oneDNN does not support.
  void lower_apart(const ProductGroup& group) {
    for (const int member : group.calls()) {
      if (member >= 0) add_call(member);
    }
  }

  bool lower_group(const ProductGroup& group) {
    return group.is_convolution ? lower_convolution(group)
                                : lower_linear(group);
  }

  void lower_call(int i) {
    const TracedCall& c = call(i);
    const bool is_image = c.inputs.size() == 1 && c.outputs.size() == 1 &&
                          is_float32(c.inputs[0]) &&
                          size_of(value(c.inputs[0]).shape) > 0 &&
                          c.outputs[0] >= 0;
    if (is_image &&
        (c.is<kinds::MaxPooling>() || c.is<kinds::AveragePooling>())) {
      if (lower_pooling(i)) return;
    }
    if (is_image && c.is<kinds::Relu>() && places_.is_in_slot(c.inputs[0])) {
      if (lower_relu(i)) return;
    }
    if (c.is<kinds::Concat>() && lower_concat(i)) return;
    add_call(i);
  }

  // Whether the call computes an array from arrays of its shape and dtype, and
  // numbers, element by element.
  bool is_elementwise(int i) const {
    const TracedCall& c = call(i);
    if (groups_.of(i) != nullptr || c.outputs.size() != 1 || c.outputs[0] < 0 ||
        dynamic_cast<const ElementwiseFunction*>(c.node.get()) == nullptr) {
      return false;
    }
    const TracedValue& y = value(c.outputs[0]);
    return std::ranges::all_of(c.inputs, [&](int v) {
      return value(v).dtype == y.dtype &&
             (value(v).shape == y.shape || size_of(value(v).shape) == 1);
    });
  }

  // The number of elementwise calls of one shape from call i on; 0 for a relu
  // of an image in oneDNN's layout, which oneDNN's own relu keeps.
  int chain_length(int i) const {
    if (!is_elementwise(i) ||
        (call(i).is<kinds::Relu>() && !places_.has_array(call(i).inputs[0]))) {
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

  // Long arrays are read faster than tiles of them, which makes up for one pass
  // more.
  bool is_worth_chaining(int i, int length) const {
    if (length < 2) return false;
    const TracedValue& y = value(call(i).outputs[0]);
    const bool is_large =
        size_of(y.shape) * item_size(y.dtype) >= cpu::kStreamBytes;
    return length > 2 || !is_large;
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
      places_.to_array(v);
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
        places_.use(v);
      }
      std::string& names = step.description.functions;
      if (!names.empty()) names += ", ";
      names += c.node->label();
      if (value(y).uses == uses[y]) continue;
      places_.set_array(y);
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
    for (const int v : c.inputs) places_.to_array(v);
    Shape shape;
    for (const int v : c.outputs) {
      if (v < 0) continue;
      places_.set_array(v);
      if (shape.empty()) shape = value(v).shape;
    }
    steps_.add({.description = {.functions = std::string(c.node->label()),
                                .kind = "call",
                                .shape = shape},
                .call = &c});
    for (const int v : c.inputs) places_.use(v);
  }

  StepArgument fixed(int id, const memory& memory) {
    return {.id = id,
            .source = Source::kFixed,
            .desc = memory.get_desc(),
            .memory = memory};
  }

  static dnnl::primitive_attr attributes_of(const ProductGroup& group) {
    dnnl::post_ops after;
    if (group.addition >= 0) after.append_sum(1);
    if (group.relu >= 0) {
      onednn::append_eltwise(after, algorithm::eltwise_relu, 0, 0);
    }
    dnnl::primitive_attr attributes = onednn::with_user_scratchpad();
    attributes.set_post_ops(after);
    return attributes;
  }

  // The group's folded weights, packed by oneDNN, are arguments of the step.
  void add_weights(Step& step, const ProductGroup& group,
                   const memory::desc& plain, const memory::desc& packed) {
    const int64_t out = value(call(group.product).inputs[1]).shape[0];
    const memory weights = steps_.fixed(packed);
    const memory bias =
        steps_.fixed(onednn::describe(Shape{out}, Dtype::kFloat32));
    steps_.packed().push_back(folded_weights(
        graph_, group,
        [plain, weights, bias](const Array& W, std::span<const double> b) {
          auto* const to = static_cast<float*>(bias.get_data_handle());
          std::ranges::transform(
              b, to, [](double v) { return static_cast<float>(v); });
          memory from(plain, onednn::engine(), W.raw_data());
          memory target = weights;
          dnnl::stream stream(onednn::engine());
          dnnl::reorder(from, target).execute(stream, from, target);
          stream.wait();
        }));
    step.arguments.push_back(fixed(DNNL_ARG_WEIGHTS, weights));
    step.arguments.push_back(fixed(DNNL_ARG_BIAS, bias));
  }

  bool lower_convolution(const ProductGroup& group) {
    const TracedCall& c = call(group.product);
    const int x = c.inputs[0];
    const int y = group.result;
    const Shape& in = value(x).shape;
    const Shape& out = value(y).shape;
    Shape kernel = value(c.inputs[1]).shape;
    const int64_t groups = c.description.integer("groups");
    const int64_t channels = kernel[0];
    const Window window = window_of(graph_, c);
    memory::dims stride, dilate, pad_left, pad_right;
    for (int i = 0; i < in.ndim() - 2; ++i) {
      const int64_t step = window.stride[i];
      const int64_t gap = window.dilate[i];
      const int64_t pad = window.pad[i];
      const int64_t reach =
          (out[i + 2] - 1) * step + (kernel[i + 2] - 1) * gap + 1;
      stride.push_back(step);
      dilate.push_back(gap - 1);
      pad_left.push_back(pad);
      pad_right.push_back(reach - pad - in[i + 2]);
    }
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

    Step step{.description = {.functions = name_of(graph_, group),
                              .kind = "oneDNN",
                              .shape = out},
              .primitive = dnnl::convolution_forward(description)};
    step.arguments.push_back(
        places_.argument_in(DNNL_ARG_SRC, x, description.src_desc()));
    places_.use(x);
    add_weights(step, group, plain, description.weights_desc());
    const memory::desc y_desc = description.dst_desc();
    if (group.addition >= 0) {
      step.arguments.push_back(
          places_.add_to_residual(group.residual, y, y_desc));
    } else {
      step.arguments.push_back(places_.new_slot(DNNL_ARG_DST, y, y_desc));
    }
    steps_.add_scratchpad(step, description.scratchpad_desc());
    steps_.add(std::move(step));
    return true;
  }

  StepArgument with_shape(StepArgument argument, int v) const {
    argument.shape = value(v).shape;
    return argument;
  }

  void lower_winograd(const ProductGroup& group, const Shape& pad) {
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
    steps_.packed().push_back(folded_weights(
        graph_, group, [weights](const Array& W, std::span<const double> b) {
          weights->W.emplace(W);
          weights->b = array::array(std::vector<double>(b.begin(), b.end()))
                           .astype(Dtype::kFloat32);
        }));
    Step step{.description = {.functions = name_of(graph_, group),
                              .kind = "Winograd",
                              .shape = value(y).shape}};
    step.arguments.push_back(
        with_shape(places_.argument_in(DNNL_ARG_SRC, x, x_desc), x));
    places_.use(x);
    const bool adds = group.addition >= 0;
    step.arguments.push_back(
        with_shape(adds ? places_.add_to_residual(group.residual, y, y_desc)
                        : places_.new_slot(DNNL_ARG_DST, y, y_desc),
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

  bool lower_linear(const ProductGroup& group) {
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
    Step step{.description = {.functions = name_of(graph_, group),
                              .kind = "oneDNN",
                              .shape = value(y).shape},
              .primitive = dnnl::inner_product_forward(description)};
    step.arguments.push_back(
        places_.argument_in(DNNL_ARG_SRC, x, description.src_desc()));
    places_.use(x);
    add_weights(step, group, plain, description.weights_desc());
    step.arguments.push_back({.id = DNNL_ARG_DST,
                              .source = Source::kResult,
                              .number = y,
                              .desc = y_desc});
    places_.set_array(y);
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
    if (!places_.is_in_slot(x) || in.ndim() > 5 || size_of(out) == 0)
      return false;
    memory::dims kernel, stride, pad_left, pad_right;
    for (int d = 0; d < in.ndim() - 2; ++d) {
      kernel.push_back(c.description.sizes("ksize")[d]);
      stride.push_back(c.description.sizes("stride")[d]);
      pad_left.push_back(c.description.sizes("pad")[d]);
      pad_right.push_back((out[d + 2] - 1) * stride[d] + kernel[d] -
                          pad_left[d] - in[d + 2]);
    }
    const algorithm by = c.is<kinds::MaxPooling>()
                             ? algorithm::pooling_max
                             : algorithm::pooling_avg_include_padding;
    const memory::desc x_desc = places_.layout_of(x);
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
               {places_.argument(DNNL_ARG_SRC, x)}, description.dst_desc(),
               description.scratchpad_desc());
    return true;
  }

  bool lower_relu(int i) {
    const memory::desc desc = places_.layout_of(call(i).inputs[0]);
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
               {places_.argument(DNNL_ARG_SRC, call(i).inputs[0])}, desc,
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
      if (!places_.is_in_slot(v) || in.ndim() != 4 || size_of(in) == 0) {
        return false;
      }
      channels += in[1];
      parts.push_back(places_.layout_of(v));
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
      arguments.push_back(places_.argument(
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
    step.arguments.push_back(
        places_.new_slot(DNNL_ARG_DST, c.outputs[0], result));
    steps_.add_scratchpad(step, scratchpad);
    steps_.add(std::move(step));
    for (const int v : c.inputs) places_.use(v);
  }

  const TracedGraph& graph_;
  Dtype precision_;
  StepList steps_;
  ProductGroups groups_;
  ValuePlaces places_;
};

}  // namespace

StepList lower(const TracedGraph& graph, Dtype precision) {
  StepList steps;
  onednn::with_errors_of("ExecutionPlan",
                         [&] { steps = Lowering(graph, precision).lower(); });
  return steps;
}

}  // namespace catena::functions
