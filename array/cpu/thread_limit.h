#pragma once

#include <omp.h>

namespace catena::cpu {

// Limits the threads that BLAS, LAPACK and oneDNN use in calls from this
// thread.
class ThreadLimit {
 public:
  explicit ThreadLimit(int count)
      : count_(count), previous_(omp_get_max_threads()) {
    if (count_ != previous_) omp_set_num_threads(count_);
  }
  ~ThreadLimit() {
    if (count_ != previous_) omp_set_num_threads(previous_);
  }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int count_;
  int previous_;
};

}  // namespace catena::cpu
