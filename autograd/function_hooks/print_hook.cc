#include "catena/autograd/function_hooks/print_hook.h"

#include <iostream>

#include "catena/array/core/error.h"
#include "catena/autograd/function_node.h"

namespace catena::function_hooks {

PrintHook::PrintHook(const PrintHookOptions& options)
    : PrintHook(std::cout, options) {}

PrintHook::PrintHook(std::ostream& os, const PrintHookOptions& options)
    : os_(os), options_(options) {}

void PrintHook::print(const std::string& line) { os_ << line << options_.end; }

void PrintHook::print(const Variable& variable) {
  print(variable.defined() ? variable.debug_print() : "(none)");
}

void PrintHook::finish() {
  if (options_.flush) os_.flush();
}

void PrintHook::forward_preprocess(const FunctionNode& function,
                                   const Arrays& inputs) {
  print(str("function\t", function.label()));
  print("input data");
  for (const Array& input : inputs) print(as_variable(input));
  finish();
}

void PrintHook::backward_preprocess(const FunctionNode& function,
                                    const Variables& grad_outputs) {
  print(str("function\t", function.label()));
  print("output gradient");
  for (const Variable& gradient : grad_outputs) print(gradient);
  finish();
}

}  // namespace catena::function_hooks
