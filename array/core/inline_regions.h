#pragma once

namespace catena::cpu {

// Makes all parallel work started by this thread run serially from now on:
// catena's own loops, BLAS, oneDNN. For threads that already run in parallel.
void run_this_thread_serially();

}  // namespace catena::cpu
