#include "catena/array/indexing/index_check.h"

#include <limits>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take_kernel.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

std::string describe_bad_index(std::string_view operation,
                               const int64_t* numbers) {
  return str(operation, ": index ", numbers[0], " is out of range for axis ",
             numbers[2], " with extent ", numbers[1]);
}
constexpr DeferredError kBadIndex = {describe_bad_index,
                                     throw_error<IndexError>};

}  // namespace

Array index_array(const Array& indices, std::string_view operation) {
  if (!is_integral(indices.dtype())) {
    raise<DtypeError>(operation, ": expected integer indices, got ",
                      indices.dtype());
  }
  Array plain = indices;
  if (indices.dtype() == Dtype::kUInt64) {
    plain = minimum(indices, std::numeric_limits<int64_t>::max());
  }
  return plain.astype(Dtype::kInt64, Array::CopyPolicy::kIfNeeded);
}

std::optional<int64_t> find_bad_index(const Array& indices,
                                      const IndexRange& range) {
  if (indices.size() == 0) return std::nullopt;
  const Array plain = indices.contiguous();
  if (!range.negative) {
    const int64_t least = min(plain).item<int64_t>();
    if (least < 0) return least;
  }
  const int64_t bad = kernel_slot<TakeKernels>.on(plain.device()).find_bad_index(
      plain.device(), plain.data<int64_t>(), plain.size(), range.extent);
  if (bad < 0) return std::nullopt;
  return plain.ravel()[bad].item<int64_t>();
}

void check_index(const Array& indices, int64_t axis, const IndexRange& range,
                 std::string_view operation) {
  check_index(indices, axis, range, operation, kBadIndex);
}

void check_index(const Array& indices, int64_t axis, const IndexRange& range,
                 std::string_view operation, const DeferredError& error) {
  const Device device = indices.device();
  if (device.shares_host_memory() || range.extent == 0) {
    if (const auto bad = find_bad_index(indices, range)) {
      const int64_t numbers[kDeferredErrorNumbers] = {*bad, range.extent, axis};
      error.raise(error.describe(operation, numbers));
    }
    return;
  }
  if (indices.size() == 0) return;
  const Array plain = indices.contiguous();
  kernel_slot<TakeKernels>.on(device).report_bad_index(
      device, plain.data<int64_t>(), plain.size(),
      range.negative ? -range.extent : 0, range.extent, axis,
      error_reporter(device, operation, error));
}

}  // namespace catena::array
