#include "catena/training/communicators/wait_limit.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "catena/array/core/error.h"
#include "catena/training/communicators/communicator.h"

namespace catena::training::communicators {

WaitLimit::WaitLimit(std::string_view operation, std::string_view rank,
                     std::chrono::seconds timeout)
    : message_(str("catena: ", operation, ": ", rank, " waited ",
                   timeout.count(), " seconds for the others and ends\n")) {
  try {
    thread_ = std::thread([this, timeout] { watch(timeout); });
  } catch (const std::system_error& error) {
    raise<CommunicatorError>(operation,
                             ": expected a thread from the system to limit the "
                             "wait for other ranks, got none: ",
                             error.what());
  }
}

WaitLimit::~WaitLimit() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void WaitLimit::watch(std::chrono::seconds timeout) {
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, timeout, [this] { return has_ended_; })) return;
  std::fputs(message_.c_str(), stderr);
  // Not exit(), whose handlers would wait for the others again.
  ::_exit(EXIT_FAILURE);
}

}  // namespace catena::training::communicators
