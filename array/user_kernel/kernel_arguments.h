#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/user_kernel/kernel_params.h"

// Matches the arguments of a call to the parameters of a user-defined kernel.
namespace catena::array {

// An argument with its dtype resolved.
struct KernelArgument {
  Array array;  // undefined for a number, and for an omitted output
  alignas(8) char number[8] = {};
  Dtype dtype = Dtype::kFloat64;
};

struct KernelArguments {
  Device device;
  std::vector<KernelArgument> inputs;
  std::vector<KernelArgument> outputs;
};

// Takes arguments for the inputs, or for inputs and outputs. A letter's dtype
// is deduced from the given outputs, else the inputs, else the numbers; numbers
// take the dtype of their parameter. All errors name `kernel` and the
// parameter. Throws ValueError for a wrong number of arguments or an output
// that is a broadcast view; DtypeError for a mismatched dtype, a letter that
// cannot be deduced or a number that its dtype cannot hold; DeviceError for
// arrays on several devices; InvalidType for a number as a raw parameter or
// output.
KernelArguments settle_arguments(std::string_view kernel,
                                 const std::vector<KernelParam>& inputs,
                                 const std::vector<KernelParam>& outputs,
                                 std::span<const Operand> args);

// The broadcast shape of the arrays for those `params` that are not raw;
// nullopt if there are none. Throws ShapeError naming kernel and parameter.
std::optional<Shape> broadcast_arguments(
    std::string_view kernel, const std::vector<KernelParam>& params,
    const std::vector<KernelArgument>& arguments);

}  // namespace catena::array
