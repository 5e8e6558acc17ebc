#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/elementwise.h"
#include "catena/autograd/function_node.h"

// What elementwise functions have in common and need compile only once.
namespace catena::functions {

// Inputs that are floating, of one dtype, and broadcast together; else
// InvalidType, which calls them by `names`.
void check_elementwise_types(TypeCheck& in,
                             std::span<const std::string_view> names);

// The kernel on inputs of one dtype that broadcast together; the result has
// their dtype.
Array run_rule(const KernelSlot<array::ElementwiseTable>& slot, const void* op,
               std::initializer_list<const Array*> inputs);

// Adds a gradient up to the shape of the input it belongs to; recorded or not.
void sum_to_input(Variable& gradient, const VariableNode& input, bool records);

}  // namespace catena::functions
