#pragma once

#include <span>
#include <string_view>

#include "catena/tests/support/function_golden.h"

// Functions of variables with unusual inputs: those of their golden cases,
// changed.
namespace catena::testing {

// For the first and last cases of all functions of a golden table, on the CPU,
// expects that
//
// - inputs in any layout give the same outputs and gradients,
// - an output that depends on an element of an input is NaN if that is NaN, and
//   so is a gradient that depends on an element of an output's gradient,
// - infinite elements change no shape or dtype of an output or a gradient,
// - a batch of no examples gives outputs, and no gradients or those of nothing,
// - arguments without axes give what those of one element do, or an Error,
//
// except for what function_exceptions.h names, which must be different.
void expect_usual_results(std::string_view folder,
                          std::span<const GoldenFunction> table);

}  // namespace catena::testing
