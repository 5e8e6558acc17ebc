#include "catena/array/core/inline_regions.h"

#include <omp.h>

namespace catena::cpu {

// OpenMP stores this limit per thread that it did not start itself.
void run_this_thread_serially() { omp_set_max_active_levels(0); }

}  // namespace catena::cpu
