#include "catena/autograd/function_hook.h"

#include "catena/autograd/hook_stack.h"

namespace catena {
namespace {

constinit thread_local HookStack<FunctionHook> thread_hooks;

}  // namespace

std::span<FunctionHook* const> thread_function_hooks() {
  return thread_hooks.hooks();
}

FunctionHookScope::FunctionHookScope(FunctionHook& hook, std::string_view name)
    : hook_(hook), name_(name.empty() ? hook.name() : name) {
  thread_hooks.add(hook, name_, "FunctionHookScope");
}

FunctionHookScope::~FunctionHookScope() { thread_hooks.remove(hook_, name_); }

}  // namespace catena
