#include "catena/autograd/function_hooks/timer_hook.h"

#include <iostream>

#include "catena/array/core/device.h"
#include "catena/autograd/function_node.h"

namespace catena::function_hooks {
namespace {

void wait_for(const Arrays& arrays) {
  if (!arrays.empty()) synchronize(arrays[0].device());
}

void wait_for(const Variables& variables) {
  for (const Variable& variable : variables) {
    if (!variable.defined()) continue;
    synchronize(variable.device());
    return;
  }
}

}  // namespace

void TimerHook::forward_preprocess(const FunctionNode& function,
                                   const Arrays& inputs) {
  wait_for(inputs);
  timer_.start(&function);
}

void TimerHook::forward_postprocess(const FunctionNode& function,
                                    const Arrays& inputs) {
  wait_for(inputs);
  timer_.stop(&function, function.label());
}

void TimerHook::backward_preprocess(const FunctionNode& function,
                                    const Variables& grad_outputs) {
  wait_for(grad_outputs);
  timer_.start(&function);
}

void TimerHook::backward_postprocess(const FunctionNode& function,
                                     const Variables& grad_outputs) {
  wait_for(grad_outputs);
  timer_.stop(&function, function.label());
}

void TimerHook::print_report(std::ostream& os) const {
  timer_.print_report(os, "FunctionName");
}

void TimerHook::print_report() const { print_report(std::cout); }

}  // namespace catena::function_hooks
