#pragma once

namespace catena::cpu {

// From now on whatever this thread starts that would be parallel runs in it
// alone: catena's own loops, BLAS, oneDNN. For workers that are several
// already.
void run_regions_inline();

}  // namespace catena::cpu
