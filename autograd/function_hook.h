#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena {

class FunctionNode;

// Called around every function of this thread while a FunctionHookScope holds
// it, or around one function that it was added to. Override what is needed.
class FunctionHook {
 public:
  virtual ~FunctionHook() = default;

  // Must be unique among the hooks in force.
  virtual std::string_view name() const = 0;

  virtual void forward_preprocess(const FunctionNode& /*function*/,
                                  const Arrays& /*inputs*/) {}
  virtual void forward_postprocess(const FunctionNode& /*function*/,
                                   const Arrays& /*inputs*/) {}
  virtual void backward_preprocess(const FunctionNode& /*function*/,
                                   const Variables& /*grad_outputs*/) {}
  virtual void backward_postprocess(const FunctionNode& /*function*/,
                                    const Variables& /*grad_outputs*/) {}

  // When the hook comes into force and when it goes; the function is null
  // for all functions of the thread.
  virtual void added(FunctionNode* /*function*/) {}
  virtual void deleted(FunctionNode* /*function*/) {}
};

// This thread's hooks, in the order in which they were added.
std::span<FunctionHook* const> thread_function_hooks();

// Puts a hook in force for this thread and a block. ValueError when a hook of
// that name is in force already.
class [[nodiscard]] FunctionHookScope {
 public:
  explicit FunctionHookScope(FunctionHook& hook);
  ~FunctionHookScope();
  FunctionHookScope(const FunctionHookScope&) = delete;
  FunctionHookScope& operator=(const FunctionHookScope&) = delete;

 private:
  FunctionHook& hook_;
};

// Calls a member of every hook of the thread and of the function.
template <class... Params, class... Args>
void call_function_hooks(
    std::span<const std::shared_ptr<FunctionHook>> local_hooks,
    void (FunctionHook::*call)(Params...), Args&&... args) {
  for (FunctionHook* hook : thread_function_hooks()) (hook->*call)(args...);
  for (const auto& hook : local_hooks) ((*hook).*call)(args...);
}

}  // namespace catena
