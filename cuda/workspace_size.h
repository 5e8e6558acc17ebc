#pragma once

#include <cstdint>

namespace catena::cuda {

// The maximum workspace of a cuDNN convolution in bytes: the fastest algorithm
// within this limit is used. Initially 8 MiB, as in Chainer. Shared by all
// threads. Throws ValueError if negative.
int64_t get_max_workspace_size() noexcept;
void set_max_workspace_size(int64_t size);

}  // namespace catena::cuda
