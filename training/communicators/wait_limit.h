#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace catena::training::communicators {

// Limits calls that wait for other ranks and that nothing can interrupt, such
// as MPI_Init: if the scope takes longer than the timeout, the process prints
// which operation of which rank waited, and ends. mpirun then ends the others.
class WaitLimit {
 public:
  // Throws CommunicatorError when the system has no thread that could watch.
  WaitLimit(std::string_view operation, std::string_view rank,
            std::chrono::seconds timeout);
  ~WaitLimit();
  WaitLimit(const WaitLimit&) = delete;
  WaitLimit& operator=(const WaitLimit&) = delete;

 private:
  void watch(std::chrono::seconds timeout);

  std::string message_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace catena::training::communicators
