#include "catena/array/indexing/testing/golden_index.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "catena/array/index.h"

namespace catena::testing {

std::vector<AdvancedIndex> golden_index(const GoldenCase& golden,
                                        Device device) {
  const auto end = [](int64_t value) {
    return value == std::numeric_limits<int64_t>::min() ? std::nullopt
                                                        : std::optional(value);
  };
  std::vector<AdvancedIndex> indexes;
  for (const Array& row : golden.attr<Array>("slices")) {
    const std::vector<int64_t> part = row.to_vector<int64_t>();
    switch (part[0]) {
      case 0:
        indexes.push_back(part[1]);
        break;
      case 1:
        indexes.push_back(
            Slice(end(part[1]), end(part[2]), end(part[3]).value_or(1)));
        break;
      case 2:
        indexes.push_back(ellipsis);
        break;
      case 3:
        indexes.push_back(newaxis);
        break;
      default:
        indexes.push_back(
            golden.attr<Array>("slices_array" + std::to_string(part[1]))
                .to_device(device));
    }
  }
  return indexes;
}

}  // namespace catena::testing
