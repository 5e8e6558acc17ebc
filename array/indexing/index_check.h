#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/core/deferred_errors.h"

// Checks of index arrays before use.
namespace catena::array {

// The indices as int64; uint64 values that do not fit become the maximum, which
// is out of range for any axis. Throws DtypeError naming `operation` unless
// they are integers.
Array index_array(const Array& indices, std::string_view operation);

struct IndexRange {
  int64_t extent;
  bool negative = true;  // whether negative indices count from the end
};

// The first index outside the range. Waits for the device.
std::optional<int64_t> find_bad_index(const Array& indices,
                                      const IndexRange& range);

// Throws IndexError naming `operation`, index, axis and extent when an index is
// out of range. A GPU reports it when the host next waits for the device
// (deferred_errors.h), so that what uses the indices must leave it out; but an
// extent of 0 has the host wait.
void check_index(const Array& indices, int64_t axis, const IndexRange& range,
                 std::string_view operation);

// The same for an error about {index, extent, axis} of another text.
void check_index(const Array& indices, int64_t axis, const IndexRange& range,
                 std::string_view operation, const DeferredError& error);

}  // namespace catena::array
