#include "catena/cuda/emulation/context.h"

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#ifdef __x86_64__
// swapcontext would call the kernel twice, which takes a hundred times as long.
// Saves what a function must preserve and its stack pointer in *from, and goes
// on with another stack pointer.
extern "C" void catena_emulation_switch(void** from, void* to);
asm(R"(
.text
.type catena_emulation_switch, @function
catena_emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size catena_emulation_switch, .-catena_emulation_switch
)");
#endif

namespace catena::cuda::emulation {

Context::Context(char* stack, size_t bytes, void (*function)())
    : stack_begin_(stack), stack_bytes_(bytes) {
#ifdef __x86_64__
  // Six registers and the address to return to, below one word: functions
  // start 8 bytes below a multiple of 16.
  auto* top = reinterpret_cast<uintptr_t*>(
      (reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t{15});
  *--top = 0;
  *--top = reinterpret_cast<uintptr_t>(function);
  for (int i = 0; i < 6; ++i) *--top = 0;
  stack_pointer_ = top;
#else
  getcontext(&machine_);
  machine_.uc_stack.ss_sp = stack;
  machine_.uc_stack.ss_size = bytes;
  makecontext(&machine_, function, 0);
#endif
#if defined(__SANITIZE_THREAD__)
  thread_state_ = __tsan_create_fiber(0);
#endif
}

void Context::leave_for(Context& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&fake_stack_, to.stack_begin_,
                                 to.stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.thread_state_, 0);
#endif
#ifdef __x86_64__
  catena_emulation_switch(&stack_pointer_, to.stack_pointer_);
#else
  swapcontext(&machine_, &to.machine_);
#endif
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
}

void Context::arrived_from([[maybe_unused]] Context& from) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &from.stack_begin_,
                                  &from.stack_bytes_);
#endif
}

void Context::adopt_thread() {
#if defined(__SANITIZE_THREAD__)
  thread_state_ = __tsan_get_current_fiber();
#endif
}

}  // namespace catena::cuda::emulation
