#include "catena/array/cuda/update_params.h"

#include <algorithm>

#include "catena/cuda/launch_shape.h"

namespace catena::cuda {

void visit_updates(
    std::span<const int64_t> sizes, std::span<char* const> data, int pack,
    int64_t resident,
    absl::FunctionRef<void(const UpdateParams& params, int blocks)> launch) {
  const size_t noperands = data.size() / sizes.size();
  for (size_t first = 0; first < sizes.size(); first += UpdateParams::kArrays) {
    UpdateParams params{};
    params.count = static_cast<int>(
        std::min<size_t>(UpdateParams::kArrays, sizes.size() - first));
    int blocks = 0;
    for (int i = 0; i < params.count; ++i) {
      const size_t array = first + static_cast<size_t>(i);
      params.sizes[i] = sizes[array];
      params.first_blocks[i] = blocks;
      blocks += static_cast<int>(loop_blocks(sizes[array], pack, resident));
      std::copy_n(data.begin() + static_cast<int64_t>(array * noperands),
                  noperands, params.data[i]);
    }
    params.first_blocks[params.count] = blocks;
    launch(params, blocks);
  }
}

}  // namespace catena::cuda
