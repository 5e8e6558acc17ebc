#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// Connects the ranks of another communicator, `control`, which sends
// everything that a derived class does not send itself.
class ForwardingCommunicator : public Communicator {
 public:
  std::string failure() const override { return control_->failure(); }
  std::unique_ptr<Request> start_allreduce(const Array& x) override {
    return control_->start_allreduce(x);
  }
  std::unique_ptr<Request> start_bcast(const Array& x, int root) override {
    return control_->start_bcast(x, root);
  }

 protected:
  // Throws ValueError as for Communicator.
  ForwardingCommunicator(std::unique_ptr<Communicator> control,
                         const BucketPolicy& policy)
      : Communicator(control->place(), policy), control_(std::move(control)) {}

  Communicator& control() const { return *control_; }

  std::string do_bcast(std::string bytes, int root) override {
    return control_->bcast_bytes(std::move(bytes), root);
  }
  std::vector<std::string> do_allgather(const std::string& bytes,
                                        std::string_view operation) override {
    return control_->allgather_bytes(bytes, operation);
  }

 private:
  std::unique_ptr<Communicator> control_;
};

}  // namespace catena::training::communicators
