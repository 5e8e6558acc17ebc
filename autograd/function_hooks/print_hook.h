#pragma once

#include <iosfwd>
#include <string>

#include "catena/autograd/function_hook.h"

namespace catena::function_hooks {

struct PrintHookOptions {
  NamedFieldsOnly keywords = {};
  // Written after each line.
  std::string end = "\n";
  // Whether to flush the stream after each function.
  bool flush = true;
};

// Prints what each function receives: the inputs of forward and the output
// gradients of backward, formatted by Variable::debug_print().
class PrintHook : public FunctionHook {
 public:
  // `os` defaults to std::cout; it must outlive the hook.
  explicit PrintHook(const PrintHookOptions& options = {});
  explicit PrintHook(std::ostream& os, const PrintHookOptions& options = {});

  std::string_view name() const override { return "PrintHook"; }
  void forward_preprocess(const FunctionNode& function,
                          const Arrays& inputs) override;
  void backward_preprocess(const FunctionNode& function,
                           const Variables& grad_outputs) override;

 private:
  void print(const std::string& line);
  void print(const Variable& variable);
  void finish();

  std::ostream& os_;
  PrintHookOptions options_;
};

}  // namespace catena::function_hooks
