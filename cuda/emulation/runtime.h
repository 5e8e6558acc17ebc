#pragma once

#include <functional>
#include <initializer_list>

#include "cuda_runtime_api.h"

// Streams of work that is deferred: nothing runs before the host waits for
// something, and then what may run runs in random order.
namespace catena::cuda::emulation {

// The devices of this process, by default two; CATENA_EMULATED_DEVICES sets
// another number.
int device_count();

// Adds work to a stream, which runs `function` with the memory of the stream's
// device open, and that of `others`. Between cudaStreamBeginCapture and
// cudaStreamEndCapture the work becomes part of the graph instead. For the
// emulated libraries; the calling thread's last error is set if the result is
// one.
cudaError_t submit(cudaStream_t stream, std::function<void()> function,
                   std::initializer_list<int> others = {});

// The same for work that runs once `ready` returns true, which is up to other
// threads or processes; those who wait poll it. Not for captures.
cudaError_t submit_when(cudaStream_t stream, std::function<bool()> ready,
                        std::function<void()> function);

// With AddressSanitizer: work that is submitted to the stream from now on may
// touch the first `usable` bytes of a block of `bytes`, and no others. Without,
// does nothing. For pools, whose blocks share an allocation.
void mark_memory(cudaStream_t stream, const void* data, size_t usable,
                 size_t bytes) noexcept;

// For a kernel that fails when it runs: every later call fails.
void fail_device(cudaError_t error);

// For tests: the n-th call from now on (0: the next) of cudaMalloc returns
// cudaErrorMemoryAllocation, or that of cudaLaunchKernel
// cudaErrorInvalidConfiguration.
void fail_allocation(int n);
void fail_launch(int n);

// The number of calls so far for which a host with a real GPU waits:
// synchronizations of devices, streams and events, copies to and, above 64 KiB,
// from memory that is not page-locked, and returning memory to the driver. For
// tests of code that must not wait.
int64_t host_waits();

// The number of kernels launched so far, those of captures included. For tests
// of code that must make do with few.
int64_t launches();

// The number of events created.
int64_t created_events();

// The number of copies from one device to another that take the way through the
// host, since not both have access to the other's memory.
int64_t staged_copies();

// Forgets the sticky error, as a new process would. For tests.
void reset_devices();

}  // namespace catena::cuda::emulation
