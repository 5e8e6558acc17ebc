#pragma once

#include <cstdint>

namespace catena::cuda {

// The most bytes of scratch memory that a cuDNN convolution may ask for: among
// the algorithms that stay below, the fastest is taken. 8 MiB at first, as in
// Chainer. One value for all threads. ValueError when negative.
int64_t get_max_workspace_size() noexcept;
void set_max_workspace_size(int64_t size);

}  // namespace catena::cuda
