#pragma once

namespace catena::cpu {

// From now on whatever this thread starts that would be parallel runs in it
// alone: catena's own loops, BLAS, oneDNN. For threads of which there are
// several already.
void run_regions_inline();

}  // namespace catena::cpu
