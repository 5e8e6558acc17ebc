#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

// Parallel loops on OpenMP's thread pool, which BLAS and oneDNN share.
namespace catena {

// The number of threads for all parallel work on the CPU; initially
// OMP_NUM_THREADS or the number of cores. Throws ValueError below 1.
void set_num_threads(int count);
int get_num_threads();

namespace cpu {

// Splits [0, size) into one range per thread, each at least `grain` long and,
// except the last, a multiple of `align`, and runs body(begin, end) on each.
// Runs inline if there is only one range or the caller is inside a parallel
// region. While other programs keep the cores busy, so that the other threads'
// ranges end much later than the caller's, the caller runs all ranges itself;
// so it does in a child of fork(), and where the system gives no more threads.
// Rethrows the first exception of a body.
void parallel_for(int64_t size, int64_t grain,
                  absl::FunctionRef<void(int64_t, int64_t)> body,
                  int64_t align = 1);

// How many ranges parallel_for could run at once here: one inside a parallel
// region, in a child of fork(), or while other programs keep the cores busy.
int parallel_threads();

// A call of a library that has parallel regions of its own, such as BLAS: the
// number of threads that it should use. Like parallel_for, one while other
// programs keep the cores busy.
class LibraryCall {
 public:
  // An upper bound of the time that one thread needs.
  explicit LibraryCall(int64_t own_nanoseconds);
  // Takes into account how long the call took.
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  int threads() const { return threads_; }

 private:
  int64_t own_nanoseconds_;
  int threads_;
  int64_t start_ = 0;  // nanoseconds of the steady clock
};

}  // namespace cpu
}  // namespace catena
