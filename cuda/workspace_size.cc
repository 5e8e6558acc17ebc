#include "catena/cuda/workspace_size.h"

#include <atomic>

#include "catena/array/core/error.h"

namespace catena::cuda {
namespace {

std::atomic<int64_t> max_workspace_size{1 << 30};

}  // namespace

int64_t get_max_workspace_size() noexcept { return max_workspace_size; }

void set_max_workspace_size(int64_t size) {
  if (size < 0) {
    raise<ValueError>(
        "set_max_workspace_size: expected a size of at least 0, got ", size);
  }
  max_workspace_size = size;
}

}  // namespace catena::cuda
