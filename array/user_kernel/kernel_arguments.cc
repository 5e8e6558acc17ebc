#include "catena/array/user_kernel/kernel_arguments.h"

#include <array>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"

namespace catena::array {
namespace {

// The dtypes bound to the placeholders.
class Letters {
 public:
  explicit Letters(std::string_view kernel) : kernel_(kernel) {}

  // Checks the dtype of an argument against its parameter; an unbound letter is
  // bound to it.
  void bind(const KernelParam& param, Dtype dtype) {
    if (param.letter == '\0') {
      if (param.dtype == dtype) return;
      raise<DtypeError>(kernel_, ": expected ", param.dtype, " for parameter '",
                        param.name, "', got ", dtype);
    }
    std::optional<Dtype>& bound = at(param);
    if (!bound) bound = dtype;
    if (*bound == dtype) return;
    raise<DtypeError>(kernel_, ": expected ", *bound, ", deduced for ",
                      std::string_view(&param.letter, 1), ", for parameter '",
                      param.name, "', got ", dtype);
  }

  void bind_if_free(const KernelParam& param, Dtype dtype) {
    if (param.letter != '\0' && !at(param)) at(param) = dtype;
  }

  Dtype dtype_of(const KernelParam& param) {
    if (param.letter == '\0') return param.dtype;
    if (at(param)) return *at(param);
    raise<DtypeError>(kernel_, ": expected arguments that determine ",
                      std::string_view(&param.letter, 1),
                      ", got none for parameter '", param.name,
                      "'; pass the output array too");
  }

 private:
  std::optional<Dtype>& at(const KernelParam& param) {
    return bound_[static_cast<unsigned char>(param.letter)];
  }

  std::string_view kernel_;
  std::array<std::optional<Dtype>, 128> bound_;
};

void check_given(std::string_view kernel, const KernelParam& param,
                 const Operand& arg, bool is_output) {
  if (arg.is_array()) {
    if (!arg.array().defined()) {
      raise<ValueError>(kernel, ": expected an array for parameter '",
                        param.name, "', got an undefined one");
    }
    if (is_output) {
      check_writable(arg.array(),
                     str(kernel, ": parameter '", param.name, "'"));
    }
    return;
  }
  if (is_output || param.raw) {
    raise<InvalidType>(kernel, ": expected an array for ",
                       is_output ? "output" : "raw", " parameter '", param.name,
                       "', got the number ", arg.scalar());
  }
}

// The common device of all arrays; the current one if there are none.
Device device_of(std::string_view kernel, std::span<const Operand> args,
                 const std::vector<const KernelParam*>& params) {
  std::optional<Device> device;
  for (size_t k = 0; k < args.size(); ++k) {
    if (!args[k].is_array()) continue;
    const Device own = args[k].array().device();
    if (!device) device = own;
    if (*device != own) {
      raise<DeviceError>(kernel, ": expected parameter '", params[k]->name,
                         "' on ", *device,
                         " like the parameters before it, got ", own);
    }
  }
  return device.value_or(current_device());
}

}  // namespace

KernelArguments settle_arguments(std::string_view kernel,
                                 const std::vector<KernelParam>& inputs,
                                 const std::vector<KernelParam>& outputs,
                                 std::span<const Operand> args) {
  const size_t ninputs = inputs.size();
  if (args.size() != ninputs && args.size() != ninputs + outputs.size()) {
    raise<ValueError>(kernel, ": expected ", ninputs, " arguments (",
                      to_string(inputs), ") or ", ninputs + outputs.size(),
                      " with the outputs (", to_string(outputs), "), got ",
                      args.size());
  }
  std::vector<const KernelParam*> params;
  for (const KernelParam& param : inputs) params.push_back(&param);
  if (args.size() > ninputs) {
    for (const KernelParam& param : outputs) params.push_back(&param);
  }
  Letters letters(kernel);
  for (size_t k = 0; k < args.size(); ++k) {
    check_given(kernel, *params[k], args[k], k >= ninputs);
  }
  for (size_t k = ninputs; k < args.size(); ++k) {
    letters.bind(*params[k], args[k].array().dtype());
  }
  for (size_t k = 0; k < ninputs; ++k) {
    if (args[k].is_array()) letters.bind(*params[k], args[k].array().dtype());
  }
  for (size_t k = 0; k < ninputs; ++k) {
    if (!args[k].is_array()) {
      letters.bind_if_free(*params[k], args[k].scalar().dtype());
    }
  }
  KernelArguments result;
  result.device = device_of(kernel, args, params);
  for (size_t k = 0; k < ninputs; ++k) {
    KernelArgument& argument = result.inputs.emplace_back();
    argument.dtype = letters.dtype_of(inputs[k]);
    if (args[k].is_array()) {
      argument.array = args[k].array();
    } else {
      args[k].scalar().store(argument.number, argument.dtype,
                             str(kernel, ": parameter '", inputs[k].name, "'"));
    }
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    KernelArgument& argument = result.outputs.emplace_back();
    argument.dtype = letters.dtype_of(outputs[k]);
    if (args.size() > ninputs) argument.array = args[ninputs + k].array();
  }
  return result;
}

std::optional<Shape> broadcast_arguments(
    std::string_view kernel, const std::vector<KernelParam>& params,
    const std::vector<KernelArgument>& arguments) {
  std::optional<Shape> shape;
  for (size_t k = 0; k < params.size(); ++k) {
    if (params[k].raw || !arguments[k].array.defined()) continue;
    const Shape& own = arguments[k].array.shape();
    shape = !shape          ? own
            : *shape == own ? own
                            : broadcast_shapes(*shape, own,
                                               str(kernel, ": parameter '",
                                                   params[k].name, "'"));
  }
  return shape;
}

}  // namespace catena::array
