#pragma once

#include <memory>

#include "catena/training/communicators/communicator.h"

// Where the library for CUDA leaves what makes its communicator, so that
// programs without CUDA know nothing of it.
namespace catena::training::communicators::internal {

// Connects the ranks of `control`, each with the CUDA device that is current in
// its thread.
using NcclFactory = std::unique_ptr<Communicator>(
    std::unique_ptr<Communicator> control, const BucketPolicy& policy);

// Null without CUDA.
NcclFactory*& nccl_factory();

}  // namespace catena::training::communicators::internal
