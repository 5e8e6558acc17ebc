#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

// Connects threads of one process, each being a rank, whatever devices their
// arrays are on. What every thread does alone has to be its own: model,
// iterator, and device, whose random generator no two threads may share.
class ThreadCommunicator final : public Communicator {
 public:
  // One for each rank. ValueError unless size >= 1.
  static std::vector<std::unique_ptr<ThreadCommunicator>> create(
      int size, const BucketPolicy& policy = {});
  // A thread that waits for this one, now or later, gets a CommunicatorError.
  ~ThreadCommunicator() override;

  std::string_view name() const override { return "thread"; }
  // Ends the communication of all: threads that wait, now or later, get a
  // CommunicatorError with the reason.
  void fail(std::string_view reason);

  std::unique_ptr<Request> start_allreduce(const Array& x) override;
  std::unique_ptr<Request> start_bcast(const Array& x, int root) override;

 protected:
  std::string do_bcast(std::string bytes, int root) override;
  std::vector<std::string> do_allgather(const std::string& bytes) override;

 private:
  class Group;
  ThreadCommunicator(const Place& place, const BucketPolicy& policy,
                     std::shared_ptr<Group> group);
  // Shows this thread's array to the others and waits for theirs.
  void exchange(const Array& x);

  std::shared_ptr<Group> group_;
};

}  // namespace catena::training::communicators
