#pragma once

namespace catena::cpu {

// From now on whatever this thread starts that would be parallel runs in it
// alone: catena's own loops, BLAS, oneDNN. For workers that are several
// already.
void run_this_thread_serially();

}  // namespace catena::cpu
