#pragma once

#include <cstdint>

namespace catena::cuda {

// The maximum workspace of a cuDNN convolution in bytes: the fastest algorithm
// within this limit, and within the memory that is free, is used. Initially
// 1 GiB: many of the fastest need more than Chainer's 8 MiB. The memory is from
// the pool and only in use during the call. Shared by all threads. Throws
// ValueError when negative.
int64_t get_max_workspace_size() noexcept;
void set_max_workspace_size(int64_t size);

}  // namespace catena::cuda
