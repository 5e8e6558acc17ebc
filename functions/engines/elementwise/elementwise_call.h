#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/elementwise.h"
#include "catena/autograd/function_node.h"

// Non-template parts of elementwise functions.
namespace catena::functions {

// Throws InvalidType, naming the inputs by `names`, unless they have the same
// floating dtype and broadcast together.
void check_elementwise_types(TypeCheck& in,
                             std::span<const std::string_view> names);

// Runs the kernel on inputs of one dtype that broadcast together; the result
// has that dtype.
Array run_rule(const KernelSlot<array::ElementwiseTable>& slot, const void* op,
               std::initializer_list<const Array*> inputs);

// Sums a gradient over broadcast axes to its input's shape, recorded or not.
void sum_to_input(Variable& gradient, const VariableNode& input, bool records);

}  // namespace catena::functions
