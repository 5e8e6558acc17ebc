#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "catena/training/communicators/thread_communicator.h"

namespace catena::training::communicators::testing {

// Calls `work` in a thread for each of `size` ranks and returns each rank's
// exception or null.
inline std::vector<std::exception_ptr> run_threads(
    int size, const std::function<void(ThreadCommunicator&)>& work,
    const BucketPolicy& policy = {}, const ThreadOptions& options = {}) {
  auto communicators = ThreadCommunicator::create(size, policy, options);
  std::vector<std::exception_ptr> failures(communicators.size());
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < communicators.size(); ++rank) {
    threads.emplace_back([&, rank] {
      // A separate device, and so a separate random generator, for each thread.
      const DeviceScope device(native_device(static_cast<int>(rank)));
      try {
        work(*communicators[rank]);
      } catch (...) {
        failures[rank] = std::current_exception();
        communicators[rank].reset();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures;
}

}  // namespace catena::training::communicators::testing
