#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

struct ThreadOptions {
  NamedFieldsOnly keywords = {};
  // How long to wait for the other threads before throwing CommunicatorError.
  std::chrono::milliseconds timeout = std::chrono::minutes(30);
};

// Connects threads of one process, one rank each, with arrays on any devices.
// Each thread needs its own model, iterator and device, since threads must not
// share a device's random generator.
class ThreadCommunicator final : public Communicator {
 public:
  // One for each rank. Throws ValueError unless size >= 1 and the timeout is
  // positive.
  static std::vector<std::unique_ptr<ThreadCommunicator>> create(
      int size, const BucketPolicy& policy = {},
      const ThreadOptions& options = {});
  // Threads that wait for this one, now or later, get a CommunicatorError.
  ~ThreadCommunicator() override;

  std::string_view name() const override { return "thread"; }
  // Aborts the communication of all threads: those that wait, now or later, get
  // a CommunicatorError with the reason.
  void fail(std::string_view reason);
  std::string failure() const override;
  bool sums_16_bit() const override { return true; }

  std::unique_ptr<Request> start_allreduce(const Array& x) override;
  std::unique_ptr<Request> start_bcast(const Array& x, int root) override;

 protected:
  std::string do_bcast(std::string bytes, int root) override;
  std::vector<std::string> do_allgather(const std::string& bytes,
                                        std::string_view operation) override;

 private:
  class Group;
  ThreadCommunicator(const Place& place, const BucketPolicy& policy,
                     std::shared_ptr<Group> group);
  void wait_for_all(std::string_view operation);
  // Publishes this thread's array to the others and waits for theirs.
  void exchange(const Array& x, std::string_view operation);

  std::shared_ptr<Group> group_;
};

}  // namespace catena::training::communicators
