#pragma once

// Failures on request of the CUDA runtime and its libraries, for tests of what
// is left when a call fails. Only tests and the emulated functions see this.
//
// A call that fails does nothing, but for one that frees something or waits:
// that does its work and reports an error all the same, as NVIDIA's may report
// the errors of earlier work. The errors are those after which a GPU can still
// be used. After others, such as that of a kernel that ran (fail_device in
// runtime.h), only the end of the process helps, whatever a program does.
namespace catena::cuda::emulation {

// Whether a call of the function fails. Asked in the calling thread.
using CallFails = bool (*)(const char* function);

// Null, as in the beginning: no call fails on request.
void fail_calls(CallFails fails);

// For the emulated functions: whether this call fails.
bool is_to_fail(const char* function = __builtin_FUNCTION());

// The same for one that has done its work, with `status`: what it returns.
template <class Status>
Status reported(Status status, Status error,
                const char* function = __builtin_FUNCTION()) {
  return is_to_fail(function) ? error : status;
}

}  // namespace catena::cuda::emulation
