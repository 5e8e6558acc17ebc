#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

// Functions that memory pools of GPUs call, to find out who uses how much.
namespace catena::cuda {

// What a hook is told.
struct MemoryEvent {
  std::string_view pool;       // "cuda:0"
  int64_t bytes = 0;           // that were asked for; 0 when memory is freed
  int64_t block_bytes = 0;     // what that takes
  const void* data = nullptr;  // known after an allocation and before the end
};

// While a MemoryHookScope refers to it, it is called by the allocations of that
// thread: malloc_* for every block that a pool gives, alloc_* when the pool
// needs memory of the device for it, free_* when the block comes back. The pool
// is locked meanwhile: a hook must not allocate or free memory of a GPU, and
// only malloc_preprocess may throw.
class MemoryHook {
 public:
  virtual ~MemoryHook() = default;
  virtual void malloc_preprocess(const MemoryEvent& /*event*/) {}
  virtual void malloc_postprocess(const MemoryEvent& /*event*/) {}
  virtual void alloc_preprocess(const MemoryEvent& /*event*/) {}
  virtual void alloc_postprocess(const MemoryEvent& /*event*/) {}
  virtual void free_preprocess(const MemoryEvent& /*event*/) {}
  virtual void free_postprocess(const MemoryEvent& /*event*/) {}
};

// Scopes may be nested: all their hooks are called, the innermost last.
class MemoryHookScope {
 public:
  explicit MemoryHookScope(MemoryHook& hook);
  ~MemoryHookScope();
  MemoryHookScope(const MemoryHookScope&) = delete;
  MemoryHookScope& operator=(const MemoryHookScope&) = delete;

 private:
  friend class MemoryHooks;
  MemoryHook& hook_;
  MemoryHookScope* outer_;
};

// Prints a line for each block that is given, taken from the device or freed:
// "malloc cuda:0: 1000 bytes as 1024 at 0x7f...".
class MemoryDebugPrintHook final : public MemoryHook {
 public:
  // std::cerr by default; it must outlive the hook.
  MemoryDebugPrintHook();
  explicit MemoryDebugPrintHook(std::ostream& out) : out_(out) {}

  void malloc_postprocess(const MemoryEvent& event) override;
  void alloc_postprocess(const MemoryEvent& event) override;
  void free_preprocess(const MemoryEvent& event) override;

 private:
  std::ostream& out_;
};

// For pools: calls this thread's hooks.
class MemoryHooks {
 public:
  // One of a hook's functions.
  using Function = void (MemoryHook::*)(const MemoryEvent& event);
  // Calls it of all hooks; costs one load if there are none.
  static void call(Function function, const MemoryEvent& event) {
    if (innermost() != nullptr) [[unlikely]]
      call_each(innermost(), function, event);
  }

 private:
  friend class MemoryHookScope;
  static MemoryHookScope*& innermost();
  static void call_each(const MemoryHookScope* scope, Function function,
                        const MemoryEvent& event);
};

}  // namespace catena::cuda
