#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace catena::cuda::emulation {

// The kernels that preprocessed CUDA C++ defines with C linkage, whose names
// are their symbols.
std::vector<std::string> find_c_kernels(std::string_view code);

// The code with each `extern __shared__ T name[];` as a pointer to the dynamic
// shared memory of the prelude.
std::string point_to_shared_memory(std::string_view code);

}  // namespace catena::cuda::emulation
