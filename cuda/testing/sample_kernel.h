#pragma once

namespace catena::cuda {

// A kernel that takes an int*, for tests of launches.
const void* sample_kernel();

}  // namespace catena::cuda
