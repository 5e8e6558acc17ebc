#pragma once

#include <iosfwd>
#include <string>

namespace catena {

// What this program runs with, a line each: catena's version and how it was
// built, the processor and the kernels in use, threads, BLAS, oneDNN, GPUs.
// For reports of problems and the heads of benchmarks. It is a target of its
// own, //array:runtime_info, since it links BLAS and oneDNN.
std::string runtime_info();
void print_runtime_info(std::ostream& os);

}  // namespace catena
