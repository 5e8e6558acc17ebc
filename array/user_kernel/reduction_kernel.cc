#include "catena/array/user_kernel/reduction_kernel.h"

#include <algorithm>
#include <cstdlib>
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

// The axes and shapes of a reduction by NumPy's rules.
struct Plan {
  Shape shape;   // of the broadcast inputs
  Axes reduced;  // sorted
  Shape output;
};

Plan plan_of(const KernelText& text, const KernelArguments& arguments,
             const ReductionCallOptions& options) {
  const std::optional<Shape> shape =
      broadcast_arguments(text.name, text.inputs, arguments.inputs);
  if (!shape) {
    raise<ValueError>(text.name,
                      ": expected an input array that is not raw, "
                      "whose axes can be reduced");
  }
  Plan plan{.shape = *shape,
            .reduced = options.axis.normalized(shape->ndim(), text.name),
            .output = {}};
  for (int axis = 0; axis < plan.shape.ndim(); ++axis) {
    if (!plan.reduced.contains(axis)) {
      plan.output.push_back(plan.shape[axis]);
    } else if (options.keepdims) {
      plan.output.push_back(1);
    }
  }
  return plan;
}

// The entries of `list` at the reduced axes, or at the kept ones.
Shape select_axes(const Shape& list, const Axes& reduced, bool want_reduced) {
  Shape selected;
  for (int axis = 0; axis < list.ndim(); ++axis) {
    if (reduced.contains(axis) == want_reduced) selected.push_back(list[axis]);
  }
  return selected;
}

// An output's strides along the kept axes.
Strides kept_strides(const Array& output, const Plan& plan, bool keepdims) {
  return keepdims ? select_axes(output.strides(), plan.reduced, false)
                  : output.strides();
}

}  // namespace

struct ReductionKernel::Body {
  KernelText text;
  ReductionKernelOptions options;
  LoadedKernels loaded;

  void call_until(Step step, const Plan& plan, bool keepdims,
                  const KernelArguments& arguments);
};

void ReductionKernel::Body::call_until(Step step, const Plan& plan,
                                       bool keepdims,
                                       const KernelArguments& arguments) {
  UserKernelArgs args;
  CallForm form;
  form.backend = arguments.device.backend();
  args.size = size_of(plan.shape);
  form.small = form.backend == Backend::kCuda && args.size < INT32_MAX;
  const Strides positions = contiguous_strides(plan.shape, 1);
  LoopAxes kept{select_axes(plan.shape, plan.reduced, false), {}};
  LoopAxes reduced{select_axes(plan.shape, plan.reduced, true), {}};
  args.outputs = size_of(kept.shape);
  args.count = size_of(reduced.shape);

  std::vector<size_t> walked;
  const size_t ninputs = text.inputs.size();
  const size_t nparams = ninputs + text.outputs.size();
  form.params.resize(nparams);
  for (size_t k = 0; k < nparams; ++k) {
    const KernelArgument& argument =
        k < ninputs ? arguments.inputs[k] : arguments.outputs[k - ninputs];
    const bool raw = k < ninputs && text.inputs[k].raw;
    form.params[k].dtype = argument.dtype;
    UserKernelParam& to = args.params[k];
    if (!argument.array.defined()) {
      std::memcpy(&to.data, argument.number, sizeof(argument.number));
      continue;
    }
    if (raw) {
      fill_raw(argument.array, options.reduce_dims, form.params[k], to);
      continue;
    }
    to.data = argument.array.raw_data();
    to.size = argument.array.size();
    walked.push_back(k);
    if (k < ninputs) {
      const Strides all = broadcast_strides(argument.array, plan.shape);
      kept.strides.push_back(select_axes(all, plan.reduced, false));
      reduced.strides.push_back(select_axes(all, plan.reduced, true));
    } else {
      kept.strides.push_back(kept_strides(argument.array, plan, keepdims));
      reduced.strides.push_back(Shape::filled(reduced.shape.ndim(), 0));
    }
  }
  kept.strides.push_back(select_axes(positions, plan.reduced, false));
  reduced.strides.push_back(select_axes(positions, plan.reduced, true));
  walked.push_back(nparams);
  if (options.reduce_dims) {
    fold_axes(kept);
    fold_axes(reduced);
  }
  if (reduced.shape.empty()) {
    reduced.shape.push_back(1);
    for (Strides& strides : reduced.strides) strides.push_back(0);
  }
  form.ndim = kept.shape.ndim();
  form.reduced_ndim = reduced.shape.ndim();
  std::copy(kept.shape.begin(), kept.shape.end(), args.shape);
  std::copy(reduced.shape.begin(), reduced.shape.end(), args.reduced_shape);
  for (size_t k = 0; k < walked.size(); ++k) {
    int64_t* strides = args.params[walked[k]].strides;
    strides =
        std::copy(kept.strides[k].begin(), kept.strides[k].end(), strides);
    std::copy(reduced.strides[k].begin(), reduced.strides[k].end(), strides);
  }

  // Which of the innermost axes has the smaller stride.
  int64_t along_kept = 0;
  int64_t along_reduced = 0;
  for (size_t k = 0; k < walked.size() && walked[k] < ninputs; ++k) {
    if (form.ndim > 0) along_kept += std::abs(kept.strides[k].back());
    along_reduced += std::abs(reduced.strides[k].back());
  }
  args.by_columns = form.ndim > 0 && along_kept < along_reduced;
  form.by_columns = form.backend == Backend::kNative && args.by_columns != 0;
  for (size_t k = 0; k < walked.size() && walked[k] < ninputs; ++k) {
    ParamForm& own = form.params[walked[k]];
    const int64_t stride =
        form.by_columns ? kept.strides[k].back() : reduced.strides[k].back();
    // On CUDA a thread computes its element's offset from all axes.
    own.kind = form.backend == Backend::kCuda
                   ? ParamForm::Kind::kRepeated
                   : kind_of_stride(stride, item_size(own.dtype));
  }
  for (size_t k = ninputs; k < nparams; ++k) {
    form.params[k].kind = ParamForm::Kind::kStrided;
  }
  const auto write = [this](const CallForm& wanted) {
    return reduction_program(text, wanted);
  };
  if (step == Step::kStartCompiling) {
    return loaded.start(form, arguments.device, write);
  }
  const LoadedUserKernel kernel = loaded.find(form, arguments.device, write);
  kernel_slot<UserKernelBackend>.on(arguments.device)
      .run(kernel, args, static_cast<int>(nparams) + 1, arguments.device);
}

ReductionKernel::ReductionKernel(std::string_view in_params,
                                 std::string_view out_params,
                                 std::string map_expr, std::string reduce_expr,
                                 std::string post_map_expr,
                                 std::string identity, std::string name,
                                 ReductionKernelOptions options)
    : body_(std::make_shared<Body>()) {
  KernelText& text = body_->text;
  text.name = std::move(name);
  text.inputs = parse_kernel_params(in_params, text.name, "in_params");
  text.outputs = parse_kernel_params(out_params, text.name, "out_params");
  text.map_expr = std::move(map_expr);
  text.reduce_expr = std::move(reduce_expr);
  text.post_map_expr = std::move(post_map_expr);
  text.identity = std::move(identity);
  text.reduce_type = options.reduce_type;
  text.preamble = options.preamble;
  text.options = options.options;
  check_kernel(text, kMaxKernelParams - 1);
  if (text.identity.find_first_not_of(" \t\r\n") == std::string::npos) {
    raise<ValueError>(text.name,
                      ": expected an identity, from which partial results "
                      "start, got an empty string");
  }
  for (const KernelParam& param : text.outputs) {
    if (param.raw) {
      raise<ValueError>(text.name,
                        ": expected outputs of a reduction not to be raw, got "
                        "'raw' for '",
                        param.name, "'");
    }
  }
  body_->options = std::move(options);
}

std::vector<Array> ReductionKernel::call(
    std::span<const Operand> args, const ReductionCallOptions& options) const
    try {
  return call_until(Step::kRun, args, options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory(name());
}

void ReductionKernel::start_compiling(
    std::initializer_list<Operand> args,
    const ReductionCallOptions& options) const {
  call_until(Step::kStartCompiling, std::span(args.begin(), args.size()),
             options);
}

std::vector<Array> ReductionKernel::call_until(
    Step step, std::span<const Operand> args,
    const ReductionCallOptions& options) const {
  const KernelText& text = body_->text;
  KernelArguments arguments =
      settle_arguments(text.name, text.inputs, text.outputs, args);
  const Plan plan = plan_of(text, arguments, options);
  for (size_t k = 0; k < text.outputs.size(); ++k) {
    const Array& output = arguments.outputs[k].array;
    if (output.defined() && output.shape() != plan.output) {
      raise<ShapeError>(text.name, ": expected shape ", plan.output,
                        " for output '", text.outputs[k].name, "', got ",
                        output.shape());
    }
  }
  kernel_slot<UserKernelBackend>.on(arguments.device);
  std::vector<Array> outputs;
  for (KernelArgument& output : arguments.outputs) {
    if (!output.array.defined()) {
      output.array = empty(plan.output, output.dtype, arguments.device);
    }
    outputs.push_back(output.array);
    // Outputs are written while inputs are still being read.
    for (size_t k = 0; k < arguments.inputs.size(); ++k) {
      Array& input = arguments.inputs[k].array;
      if (!text.inputs[k].raw && input.defined() &&
          may_share_memory(input, output.array)) {
        input = input.copy();
      }
    }
  }
  if (size_of(plan.output) > 0) {
    body_->call_until(step, plan, options.keepdims, arguments);
  }
  return outputs;
}

Array ReductionKernel::one(std::initializer_list<Operand> args,
                           const ReductionCallOptions& options) const {
  if (body_->text.outputs.size() != 1) {
    raise<ValueError>(name(), ": expected call(), since there are ",
                      body_->text.outputs.size(), " outputs");
  }
  return call(args, options)[0];
}

const std::string& ReductionKernel::name() const { return body_->text.name; }
std::string ReductionKernel::in_params() const {
  return to_string(body_->text.inputs);
}
std::string ReductionKernel::out_params() const {
  return to_string(body_->text.outputs);
}

ReductionKernel reduce(std::string_view in_params, std::string_view out_params,
                       std::string_view map_expr, std::string_view reduce_expr,
                       std::string_view post_map_expr,
                       std::string_view identity, std::string_view name,
                       const ReductionKernelOptions& options) {
  using Text = std::string;
  static const auto& make = *new auto(
      memoize([](const Text& in, const Text& out, const Text& map,
                 const Text& combine, const Text& post, const Text& start,
                 const Text& named, const ReductionKernelOptions& given) {
        return ReductionKernel(in, out, map, combine, post, start, named,
                               given);
      }));
  return make(Text(in_params), Text(out_params), Text(map_expr),
              Text(reduce_expr), Text(post_map_expr), Text(identity),
              Text(name), options);
}

}  // namespace catena::array
