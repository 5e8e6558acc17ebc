#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"

// What every routine does to arrays of indices before it uses them.
namespace catena::array {

// The indices as int64; uint64 ones that it lacks become the largest, which no
// axis has. DtypeError naming `operation` unless they are integers.
Array index_array(const Array& indices, std::string_view operation);

struct IndexRange {
  int64_t extent;
  bool negative = true;  // whether negative indices count from the end
};

// The first index outside of the range; waits for the device.
std::optional<int64_t> find_bad_index(const Array& indices,
                                      const IndexRange& range);

// IndexError naming `operation`, index, axis and extent when there is one.
void check_index(const Array& indices, int64_t axis, const IndexRange& range,
                 std::string_view operation);

}  // namespace catena::array
