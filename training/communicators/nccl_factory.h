#pragma once

#include <chrono>
#include <memory>

#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// A rank that has ended or hangs would keep the others' GPUs waiting forever.
// Therefore a thread watches each communicator. When NCCL reports an error, or
// an operation waits longer than the timeout, it aborts the communicator and
// every later call that uses it or waits for its device throws
// CommunicatorError, which names the rank, the operation and how long it has
// waited.
struct NcclOptions {
  NamedFieldsOnly keywords = {};
  // How long a GPU, and ranks that connect, may wait for the others. Work of
  // the rank itself before the operation does not count.
  std::chrono::milliseconds timeout = std::chrono::minutes(30);
};

// The CUDA library registers its factory here, so that programs without CUDA do
// not depend on it.
namespace internal {

// Connects the ranks of `control`, each with the current CUDA device of its
// thread. Throws ValueError unless the timeout is positive.
using NcclFactory = std::unique_ptr<Communicator>(
    std::unique_ptr<Communicator> control, const BucketPolicy& policy,
    const NcclOptions& options);

// Null without CUDA.
NcclFactory*& nccl_factory();

}  // namespace internal
}  // namespace catena::training::communicators
