#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/user_kernel/kernel_params.h"

// How the arguments of a call meet the parameters of a user-defined kernel.
namespace catena::array {

// An argument of settled dtype.
struct KernelArgument {
  Array array;  // undefined for a number, and for an output still to be made
  alignas(8) char number[8] = {};
  Dtype dtype = Dtype::kFloat64;
};

struct KernelArguments {
  Device device;
  std::vector<KernelArgument> inputs;
  std::vector<KernelArgument> outputs;
};

// Takes as many arguments as there are inputs, or inputs and outputs. A letter
// stands for the dtype of the outputs given, else of the inputs, else of the
// numbers; numbers take the dtype of their parameter. All errors name `kernel`
// and the parameter: ValueError on another number of arguments, DtypeError on a
// dtype that does not fit, a letter that nothing settles or a number that its
// dtype cannot hold, DeviceError on arrays of several devices, InvalidType on a
// number for a raw parameter or an output, ValueError on an output that is a
// broadcast view.
KernelArguments settle_arguments(std::string_view kernel,
                                 const std::vector<KernelParam>& inputs,
                                 const std::vector<KernelParam>& outputs,
                                 std::span<const Operand> args);

// The shape to which the arrays for `params` that are not raw broadcast; none
// when there is no such array. ShapeError naming kernel and parameter.
std::optional<Shape> broadcast_arguments(
    std::string_view kernel, const std::vector<KernelParam>& params,
    const std::vector<KernelArgument>& arguments);

}  // namespace catena::array
