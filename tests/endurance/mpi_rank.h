#pragma once

#include <chrono>
#include <memory>

#include "catena/training/communicators/create_communicator.h"

namespace catena::testing {

// The limit of operations in tests of ranks that fail.
constexpr std::chrono::seconds kRankTimeout(5);

// A communicator of kind mpi with that limit. The machine may be too busy to
// start all ranks in that time, so they connect with another one before.
inline std::unique_ptr<training::communicators::Communicator> connect_rank() {
  using training::communicators::create_communicator;
  create_communicator("mpi", {.mpi = {.timeout = std::chrono::minutes(2)}});
  return create_communicator("mpi", {.mpi = {.timeout = kRankTimeout}});
}

}  // namespace catena::testing
