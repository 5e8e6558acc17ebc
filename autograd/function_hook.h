#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena {

class FunctionNode;

// Callbacks around every function of this thread while a FunctionHookScope is
// active, or around the one function the hook was added to. Override what is
// needed.
class FunctionHook {
 public:
  virtual ~FunctionHook() = default;

  // Must be unique among the active hooks.
  virtual std::string_view name() const = 0;

  // Before and after forward and backward.
  virtual void forward_preprocess(const FunctionNode& /*function*/,
                                  const Arrays& /*inputs*/) {}
  virtual void forward_postprocess(const FunctionNode& /*function*/,
                                   const Arrays& /*inputs*/) {}
  virtual void backward_preprocess(const FunctionNode& /*function*/,
                                   const Variables& /*grad_outputs*/) {}
  virtual void backward_postprocess(const FunctionNode& /*function*/,
                                    const Variables& /*grad_outputs*/) {}

  // Called when the hook is added and removed; the function is null when the
  // hook applies to the whole thread.
  virtual void added(FunctionNode* /*function*/) {}
  virtual void deleted(FunctionNode* /*function*/) {}
};

// This thread's hooks, in the order they were added.
std::span<FunctionHook* const> thread_function_hooks();

// Activates a hook for this thread and scope. The name defaults to the hook's;
// two timers need different ones. Throws ValueError when a hook of that name is
// already active.
class [[nodiscard]] FunctionHookScope {
 public:
  explicit FunctionHookScope(FunctionHook& hook, std::string_view name = {});
  ~FunctionHookScope();
  FunctionHookScope(const FunctionHookScope&) = delete;
  FunctionHookScope& operator=(const FunctionHookScope&) = delete;

 private:
  FunctionHook& hook_;
  std::string name_;
};

// Calls a member function of every hook of the thread and of the function.
template <class... Params, class... Args>
void call_function_hooks(
    std::span<const std::shared_ptr<FunctionHook>> local_hooks,
    void (FunctionHook::*call)(Params...), Args&&... args) {
  for (FunctionHook* hook : thread_function_hooks()) (hook->*call)(args...);
  for (const auto& hook : local_hooks) ((*hook).*call)(args...);
}

}  // namespace catena
