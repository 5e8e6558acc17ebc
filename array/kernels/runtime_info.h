#pragma once

#include <iosfwd>
#include <string>

namespace catena {

// The runtime environment, one item per line: catena's version and build, the
// processor and the kernels in use, threads, BLAS, oneDNN, GPUs. For bug
// reports and benchmark headers. A separate target,
// //array/kernels:runtime_info, since it links BLAS and oneDNN.
std::string runtime_info();
void print_runtime_info(std::ostream& os);

}  // namespace catena
