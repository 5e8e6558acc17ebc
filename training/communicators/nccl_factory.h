#pragma once

#include <memory>

#include "catena/training/communicators/communicator.h"

// The CUDA library registers its factory here, so that programs without CUDA do
// not depend on it.
namespace catena::training::communicators::internal {

// Connects the ranks of `control`, each with the current CUDA device of its
// thread.
using NcclFactory = std::unique_ptr<Communicator>(
    std::unique_ptr<Communicator> control, const BucketPolicy& policy);

// Null without CUDA.
NcclFactory*& nccl_factory();

}  // namespace catena::training::communicators::internal
