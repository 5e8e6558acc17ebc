#pragma once

#include <exception>

// Failures that a background thread notices, such as that which watches NCCL:
// what the device computes is wrong, though its calls succeed. Every function
// that waits for the device throws them.
namespace catena::cuda {

// Replaces the reporter's earlier failure, if there is one.
void report_failure(int device, const void* reporter,
                    std::exception_ptr failure) noexcept;
void withdraw_failure(const void* reporter) noexcept;

// For every function that has waited for the device: throws a failure that has
// been reported for it, or what its kernels found wrong in values
// (array/core/deferred_errors.h). Costs two loads if there is nothing.
void throw_failure(int device);

}  // namespace catena::cuda
