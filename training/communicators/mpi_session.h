#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"

namespace catena::training::communicators {

// Throws CommunicatorError with MPI's text unless the call succeeded.
void check_mpi(int status, std::string_view call);

// MPI in this process, from the first use to the end of the process, when it is
// finalized if catena has initialized it. A process that ends because of an
// exception, or after an operation that has failed, aborts the whole run; one
// that ends before the others notifies them, so that they stop waiting for it.
class MpiSession {
 public:
  // The first call connects the ranks, for which it has the timeout.
  static MpiSession& instance(
      std::chrono::seconds timeout = std::chrono::minutes(30));

  int rank() const { return rank_; }
  int size() const { return size_; }
  // "rank 0 of 2".
  std::string name() const;

  // Calls `done` until it returns true, yielding the core in between.
  // Throws CommunicatorError, naming the operation and how long it has waited,
  // when a rank has left or the timeout has expired.
  void wait_until(const std::function<bool()>& done, std::string_view operation,
                  std::chrono::seconds timeout);

  // Records that the others can't go on without this process, which ends
  // because of an exception.
  void note_failure() { has_failed_ = true; }
  // Keeps memory alive that MPI may still write to.
  void keep(const Array& memory) { kept_.push_back(memory); }

 private:
  explicit MpiSession(std::chrono::seconds timeout);
  // A rank that has left, or -1.
  int find_left();
  void end();
  void abort() const;
  void end_in_good_order();

  bool is_owner_ = false;
  bool has_failed_ = false;
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm control_ = MPI_COMM_NULL;
  // The longest that an operation may wait, and so the wait for the others at
  // exit; 0 before the first operation.
  std::chrono::seconds longest_timeout_{0};
  std::vector<Array> kept_;
};

}  // namespace catena::training::communicators
