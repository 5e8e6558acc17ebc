#include "catena/cuda/memory_hook.h"

#include <iostream>
#include <utility>

namespace catena::cuda {
namespace {

void print(std::ostream& out, std::string_view what, const MemoryEvent& event) {
  out << what << " " << event.pool << ": ";
  if (event.bytes > 0) out << event.bytes << " bytes as ";
  out << event.block_bytes << " at " << event.data << "\n";
}

}  // namespace

MemoryHookScope*& MemoryHooks::innermost() {
  constinit thread_local MemoryHookScope* scope = nullptr;
  return scope;
}

void MemoryHooks::call_each(const MemoryHookScope* scope, Function function,
                            const MemoryEvent& event) {
  if (scope->outer_ != nullptr) call_each(scope->outer_, function, event);
  (scope->hook_.*function)(event);
}

MemoryHookScope::MemoryHookScope(MemoryHook& hook)
    : hook_(hook), outer_(std::exchange(MemoryHooks::innermost(), this)) {}

MemoryHookScope::~MemoryHookScope() { MemoryHooks::innermost() = outer_; }

MemoryDebugPrintHook::MemoryDebugPrintHook()
    : MemoryDebugPrintHook(std::cerr) {}

void MemoryDebugPrintHook::malloc_postprocess(const MemoryEvent& event) {
  print(out_, "malloc", event);
}
void MemoryDebugPrintHook::alloc_postprocess(const MemoryEvent& event) {
  print(out_, "alloc", event);
}
void MemoryDebugPrintHook::free_preprocess(const MemoryEvent& event) {
  print(out_, "free", event);
}

}  // namespace catena::cuda
