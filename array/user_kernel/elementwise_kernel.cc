#include "catena/array/user_kernel/elementwise_kernel.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/user_kernel/kernel_arguments.h"
#include "catena/array/user_kernel/loaded_kernels.h"
#include "catena/array/user_kernel/memoize.h"

namespace catena::array {
namespace {

// The shape of the loop.
Shape loop_shape(const KernelText& text, const KernelArguments& arguments,
                 std::optional<int64_t> size) {
  std::optional<Shape> shape =
      broadcast_arguments(text.name, text.inputs, arguments.inputs);
  const std::optional<Shape> given =
      broadcast_arguments(text.name, text.outputs, arguments.outputs);
  if (size) {
    if (shape || given) {
      raise<ValueError>(text.name,
                        ": expected size only if all arrays are raw, got size ",
                        *size, " with arrays that are not");
    }
    if (*size < 0) {
      raise<ValueError>(text.name, ": expected a size of at least 0, got ",
                        *size);
    }
    return {*size};
  }
  if (!shape && !given) {
    const auto is_array = [](const KernelArgument& argument) {
      return argument.array.defined();
    };
    if (std::none_of(arguments.inputs.begin(), arguments.inputs.end(),
                     is_array) &&
        !arguments.inputs.empty()) {
      return {};  // of numbers a number
    }
    raise<ValueError>(
        text.name,
        ": expected the option size, since no argument is a non-raw array");
  }
  if (shape && given) {
    shape = broadcast_shapes(*shape, *given, text.name);
  } else if (given) {
    shape = given;
  }
  return *shape;
}

void check_outputs(const KernelText& text, const KernelArguments& arguments,
                   const Shape& shape, bool has_size) {
  for (size_t k = 0; k < text.outputs.size(); ++k) {
    const Array& output = arguments.outputs[k].array;
    const KernelParam& param = text.outputs[k];
    if (param.raw && !output.defined() && !has_size) {
      raise<ValueError>(text.name, ": expected an array for raw output '",
                        param.name, "', or size");
    }
    if (!param.raw && output.defined() && output.shape() != shape) {
      raise<ShapeError>(text.name, ": expected shape ", shape, " for output '",
                        param.name, "', got ", output.shape());
    }
  }
}

// Copies inputs that an output would overwrite before they are read.
void separate(const KernelText& text, KernelArguments& arguments) {
  for (size_t k = 0; k < text.inputs.size(); ++k) {
    Array& input = arguments.inputs[k].array;
    if (text.inputs[k].raw || !input.defined()) continue;
    for (const KernelArgument& output : arguments.outputs) {
      if (output.array.defined() && overlaps(input, output.array)) {
        input = input.copy();
        break;
      }
    }
  }
}

}  // namespace

struct ElementwiseKernel::Body {
  KernelText text;
  ElementwiseKernelOptions options;
  LoadedKernels loaded;

  void call_until(Step step, const Shape& shape,
                  const KernelArguments& arguments);
};

void ElementwiseKernel::Body::call_until(Step step, const Shape& shape,
                                         const KernelArguments& arguments) {
  UserKernelArgs args;
  CallForm form;
  form.backend = arguments.device.backend();
  args.size = size_of(shape);
  form.small = form.backend == Backend::kCuda && args.size < INT32_MAX;
  LoopAxes axes{shape, {}};
  std::vector<size_t> walked;
  const auto add = [&](const KernelParam& param,
                       const KernelArgument& argument) {
    UserKernelParam& to = args.params[form.params.size()];
    ParamForm& own = form.params.emplace_back();
    own.dtype = argument.dtype;
    if (!argument.array.defined()) {
      std::memcpy(&to.data, argument.number, sizeof(argument.number));
    } else if (param.raw) {
      fill_raw(argument.array, options.reduce_dims, own, to);
    } else {
      to.data = argument.array.raw_data();
      to.size = argument.array.size();
      axes.strides.push_back(broadcast_strides(argument.array, shape));
      walked.push_back(form.params.size() - 1);
    }
  };
  for (size_t k = 0; k < text.inputs.size(); ++k) {
    add(text.inputs[k], arguments.inputs[k]);
  }
  for (size_t k = 0; k < text.outputs.size(); ++k) {
    add(text.outputs[k], arguments.outputs[k]);
  }
  if (options.reduce_dims) fold_axes(axes);
  if (axes.shape.empty()) {  // a single element
    axes.shape.push_back(1);
    for (Strides& strides : axes.strides) strides.push_back(0);
  }
  form.ndim = axes.shape.ndim();
  std::copy(axes.shape.begin(), axes.shape.end(), args.shape);
  for (size_t k = 0; k < walked.size(); ++k) {
    const Strides& strides = axes.strides[k];
    std::copy(strides.begin(), strides.end(), args.params[walked[k]].strides);
    ParamForm& own = form.params[walked[k]];
    own.kind = kind_of_stride(strides.back(), item_size(own.dtype));
  }
  const auto write = [this](const CallForm& wanted) {
    return elementwise_program(text, wanted);
  };
  if (step == Step::kStartCompiling) {
    return loaded.start(form, arguments.device, write);
  }
  const LoadedUserKernel kernel = loaded.find(form, arguments.device, write);
  kernel_slot<UserKernelBackend>.on(arguments.device)
      .run(kernel, args, static_cast<int>(form.params.size()),
           arguments.device);
}

ElementwiseKernel::ElementwiseKernel(std::string_view in_params,
                                     std::string_view out_params,
                                     std::string operation, std::string name,
                                     ElementwiseKernelOptions options)
    : body_(std::make_shared<Body>()) {
  KernelText& text = body_->text;
  text.name = std::move(name);
  text.inputs = parse_kernel_params(in_params, text.name, "in_params");
  text.outputs = parse_kernel_params(out_params, text.name, "out_params");
  text.operation = std::move(operation);
  text.preamble = options.preamble;
  text.loop_prep = options.loop_prep;
  text.after_loop = options.after_loop;
  text.options = options.options;
  check_kernel(text, kMaxKernelParams);
  body_->options = std::move(options);
}

std::vector<Array> ElementwiseKernel::call(
    std::span<const Operand> args,
    const ElementwiseCallOptions& options) const {
  return call_until(Step::kRun, args, options);
}

void ElementwiseKernel::start_compiling(
    std::initializer_list<Operand> args,
    const ElementwiseCallOptions& options) const {
  call_until(Step::kStartCompiling, std::span(args.begin(), args.size()),
             options);
}

std::vector<Array> ElementwiseKernel::call_until(
    Step step, std::span<const Operand> args,
    const ElementwiseCallOptions& options) const try {
  const KernelText& text = body_->text;
  KernelArguments arguments =
      settle_arguments(text.name, text.inputs, text.outputs, args);
  const Shape shape = loop_shape(text, arguments, options.size);
  check_outputs(text, arguments, shape, options.size.has_value());
  // All checks that need no kernel are done; now find the device's.
  kernel_slot<UserKernelBackend>.on(arguments.device);
  separate(text, arguments);
  std::vector<Array> outputs;
  for (KernelArgument& output : arguments.outputs) {
    if (!output.array.defined()) {
      output.array = empty(shape, output.dtype, arguments.device);
    }
    outputs.push_back(output.array);
  }
  if (size_of(shape) > 0) body_->call_until(step, shape, arguments);
  return outputs;
} catch (const std::bad_alloc&) {
  raise_out_of_memory(name());
}

Array ElementwiseKernel::one(std::initializer_list<Operand> args,
                             const ElementwiseCallOptions& options) const {
  if (body_->text.outputs.size() != 1) {
    raise<ValueError>(name(), ": expected call(), since there are ",
                      body_->text.outputs.size(), " outputs");
  }
  return call(args, options)[0];
}

const std::string& ElementwiseKernel::name() const { return body_->text.name; }
std::string ElementwiseKernel::in_params() const {
  return to_string(body_->text.inputs);
}
std::string ElementwiseKernel::out_params() const {
  return to_string(body_->text.outputs);
}
const std::string& ElementwiseKernel::operation() const {
  return body_->text.operation;
}
const ElementwiseKernelOptions& ElementwiseKernel::options() const {
  return body_->options;
}

ElementwiseKernel elementwise(std::string_view in_params,
                              std::string_view out_params,
                              std::string_view operation, std::string_view name,
                              const ElementwiseKernelOptions& options) {
  static const auto& make = *new auto(memoize(
      [](const std::string& in, const std::string& out, const std::string& text,
         const std::string& named, const ElementwiseKernelOptions& given) {
        return ElementwiseKernel(in, out, text, named, given);
      }));
  return make(std::string(in_params), std::string(out_params),
              std::string(operation), std::string(name), options);
}

}  // namespace catena::array
