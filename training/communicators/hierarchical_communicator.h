#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// Sums arrays within each node, then between the nodes' first ranks, then
// broadcasts the sums within the nodes: for fast links within machines and slow
// links between them. A sum is complete when start_allreduce returns.
class HierarchicalCommunicator final : public Communicator {
 public:
  // `all` connects all ranks, `intra` those of this node, and `inter` the first
  // ranks of the nodes (unused on other ranks).
  HierarchicalCommunicator(std::unique_ptr<Communicator> all,
                           std::unique_ptr<Communicator> intra,
                           std::unique_ptr<Communicator> inter,
                           const BucketPolicy& policy);

  std::string_view name() const override { return "hierarchical"; }
  std::unique_ptr<Request> start_allreduce(const Array& x) override;
  std::unique_ptr<Request> start_bcast(const Array& x, int root) override {
    return all_->start_bcast(x, root);
  }

 protected:
  std::string do_bcast(std::string bytes, int root) override {
    return all_->bcast_bytes(std::move(bytes), root);
  }
  std::vector<std::string> do_allgather(const std::string& bytes) override {
    return all_->allgather_bytes(bytes);
  }

 private:
  std::unique_ptr<Communicator> all_;
  std::unique_ptr<Communicator> intra_;
  std::unique_ptr<Communicator> inter_;
};

}  // namespace catena::training::communicators
