#pragma once

#include <memory>
#include <string_view>

#include "catena/training/communicators/communicator.h"
#include "catena/training/communicators/forwarding_communicator.h"

namespace catena::training::communicators {

// Sums arrays within each node, then between the nodes' first ranks, then
// broadcasts the sums within the nodes: for fast links within machines and slow
// links between them. A sum is complete when start_allreduce returns.
class HierarchicalCommunicator final : public ForwardingCommunicator {
 public:
  // `all` connects all ranks, `intra` those of this node, and `inter` the first
  // ranks of the nodes (unused on other ranks).
  HierarchicalCommunicator(std::unique_ptr<Communicator> all,
                           std::unique_ptr<Communicator> intra,
                           std::unique_ptr<Communicator> inter,
                           const BucketPolicy& policy);

  std::string_view name() const override { return "hierarchical"; }
  std::unique_ptr<Request> start_allreduce(const Array& x) override;

 private:
  std::unique_ptr<Communicator> intra_;
  std::unique_ptr<Communicator> inter_;
};

}  // namespace catena::training::communicators
