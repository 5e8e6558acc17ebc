#pragma once

#include <cstddef>

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace catena::cuda::emulation {

// A point at which execution can go on, on a stack of its own.
class Context {
 public:
  // The running code, once it is left.
  Context() = default;
  // The start of `function`, which must not return.
  Context(char* stack, size_t bytes, void (*function)());
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Goes on at `to`. Returns when something goes on here.
  void leave_for(Context& to);
  // The first thing to call in a `function`, with the context that was left
  // for it.
  void arrived_from(Context& from);

  // Called by the thread that owns the running code before it is left first.
  void adopt_thread();

 private:
#ifdef __x86_64__
  void* stack_pointer_ = nullptr;
#else
  ucontext_t machine_{};
#endif
  // What sanitizers know of it.
  const void* stack_begin_ = nullptr;
  size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
  void* thread_state_ = nullptr;
};

}  // namespace catena::cuda::emulation
