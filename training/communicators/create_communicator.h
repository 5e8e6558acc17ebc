#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "catena/training/communicators/communicator.h"
#include "catena/training/communicators/mpi_communicator.h"
#include "catena/training/communicators/nccl_factory.h"

namespace catena::training::communicators {

struct CommunicatorOptions {
  NamedFieldsOnly keywords = {};
  MpiOptions mpi = {};
  NcclOptions nccl = {};
  // How gradients are sent; the default depends on the kind of communicator.
  std::optional<BucketPolicy> bucket_policy = std::nullopt;
};

// The communicator of the processes started by one mpirun. The kinds are
//
//   naive         one gradient at a time, through MPI, after the backward pass
//   mpi           in buckets, through MPI, during the backward pass
//   nccl          in buckets, through NCCL, during the backward pass; arrays
//                 are on the current CUDA device, a different one for each rank
//   hierarchical  within a node, then between nodes, through MPI; within a node
//                 through NCCL if the current device is a GPU
//
// naive, mpi and hierarchical accept arrays on any device. Throws ValueError
// for another name; NotImplementedError for nccl in a program without CUDA;
// DeviceError for nccl when the current device is not a CUDA device.
//
// An error in any rank ends the whole run; see mpi_communicator.h.
std::unique_ptr<Communicator> create_communicator(
    std::string_view name = "mpi", const CommunicatorOptions& options = {});

}  // namespace catena::training::communicators
