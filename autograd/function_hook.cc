#include "catena/autograd/function_hook.h"

#include "catena/autograd/hook_stack.h"

namespace catena {
namespace {

constinit thread_local HookStack<FunctionHook> thread_hooks;

}  // namespace

std::span<FunctionHook* const> thread_function_hooks() {
  return thread_hooks.hooks();
}

FunctionHookScope::FunctionHookScope(FunctionHook& hook) : hook_(hook) {
  thread_hooks.add(hook, "FunctionHookScope");
}

FunctionHookScope::~FunctionHookScope() { thread_hooks.remove(hook_); }

}  // namespace catena
