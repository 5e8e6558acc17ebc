#include "catena/training/communicators/hierarchical_communicator.h"

#include <utility>

namespace catena::training::communicators {
HierarchicalCommunicator::HierarchicalCommunicator(
    std::unique_ptr<Communicator> all, std::unique_ptr<Communicator> intra,
    std::unique_ptr<Communicator> inter, const BucketPolicy& policy)
    : ForwardingCommunicator(std::move(all), policy),
      intra_(std::move(intra)),
      inter_(std::move(inter)) {}

std::unique_ptr<Communicator::Request>
HierarchicalCommunicator::start_allreduce(const Array& x) {
  intra_->start_allreduce(x)->wait();
  if (intra_rank() == 0) inter_->start_allreduce(x)->wait();
  intra_->start_bcast(x, 0)->wait();
  return std::make_unique<DoneRequest>();
}

}  // namespace catena::training::communicators
