#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "catena/training/communicators/communicator.h"
#include "catena/training/communicators/mpi_communicator.h"

namespace catena::training::communicators {

struct CommunicatorOptions {
  MpiOptions mpi = {};
  // How gradients travel; defaults to what suits the kind of communicator.
  std::optional<BucketPolicy> bucket_policy = std::nullopt;
};

// The communicator of the processes that one mpirun has started. Of the kinds
//
//   naive         each gradient alone, through MPI, after the backward pass
//   mpi           in buckets, through MPI, during the backward pass
//   nccl          in buckets, through NCCL, during the backward pass; arrays
//                 are on the current CUDA device, one of its own for each rank
//   hierarchical  within a node, then between nodes, through MPI; within a node
//                 through NCCL where the current device is a GPU
//
// naive, mpi and hierarchical take arrays on any device. ValueError for another
// name; NotImplementedError for nccl in a program without CUDA; DeviceError
// when the current device is none of CUDA's.
//
// A training is ended by an error in any rank; see mpi_communicator.h.
std::unique_ptr<Communicator> create_communicator(
    std::string_view name = "mpi", const CommunicatorOptions& options = {});

}  // namespace catena::training::communicators
