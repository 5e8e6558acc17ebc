#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"

// The one thread pool: OpenMP's, which BLAS and oneDNN use too.
namespace catena {

// Threads for everything parallel on the CPU. At first OMP_NUM_THREADS or the
// number of cores. ValueError below 1.
void set_num_threads(int count);
int get_num_threads();

namespace cpu {

// Splits [0, size) into one range a thread, each at least `grain` long and,
// except the last, a multiple of `align`; runs body(begin, end) on each. Runs
// inline when there is one range or the caller is itself inside a region. The
// first exception of a body is thrown again here.
void parallel_for(int64_t size, int64_t grain,
                  absl::FunctionRef<void(int64_t, int64_t)> body,
                  int64_t align = 1);

}  // namespace cpu
}  // namespace catena
