#include "catena/autograd/function_hook.h"

#include <algorithm>

#include "catena/array/error.h"

namespace catena {
namespace {

// A plain array, so that asking whether there are hooks is one load.
constexpr int kMaxHooks = 16;
struct ThreadHooks {
  FunctionHook* hooks[kMaxHooks] = {};
  int count = 0;
};
constinit thread_local ThreadHooks thread_hooks;

}  // namespace

std::span<FunctionHook* const> thread_function_hooks() {
  return {thread_hooks.hooks, static_cast<size_t>(thread_hooks.count)};
}

FunctionHookScope::FunctionHookScope(FunctionHook& hook) : hook_(hook) {
  for (const FunctionHook* other : thread_function_hooks()) {
    if (other->name() == hook.name()) {
      raise<ValueError>("FunctionHookScope: a hook named '", hook.name(),
                        "' is in force already");
    }
  }
  if (thread_hooks.count == kMaxHooks) {
    raise<ValueError>("FunctionHookScope: expected at most ", kMaxHooks,
                      " hooks at a time");
  }
  hook.added(nullptr);
  thread_hooks.hooks[thread_hooks.count++] = &hook;
}

FunctionHookScope::~FunctionHookScope() {
  hook_.deleted(nullptr);
  FunctionHook** end = thread_hooks.hooks + thread_hooks.count;
  std::remove(thread_hooks.hooks, end, &hook_);
  --thread_hooks.count;
}

}  // namespace catena
