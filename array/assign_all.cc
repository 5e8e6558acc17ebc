#include "catena/array/assign_all.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/kernels/row_copies.h"

namespace catena::array {
namespace {

void check(const Assignment& assignment, Device device) {
  const auto& [to, from] = assignment;
  check_writable(to, "assign_all");
  if (from.shape() != to.shape()) {
    raise<ShapeError>("assign_all: expected arrays of one shape, got ",
                      to.shape(), " and ", from.shape());
  }
  for (const Array* a : {&to, &from}) {
    if (a->device() != device) {
      raise<DeviceError>("assign_all: expected arrays on one device, got ",
                         device, " and ", a->device());
    }
  }
}

// The copy as one of rows, if its axes can be merged into two.
std::optional<RowCopy> as_rows(const Assignment& assignment) {
  const auto& [to, from] = assignment;
  if (from.dtype() != to.dtype()) return std::nullopt;
  struct Axis {
    int64_t extent;
    int64_t from_stride;
    int64_t to_stride;
  };
  absl::InlinedVector<Axis, kMaxDims> axes;
  for (int i = 0; i < to.ndim(); ++i) {
    if (to.shape()[i] == 1) continue;
    axes.push_back({to.shape()[i], from.strides()[i], to.strides()[i]});
  }
  std::ranges::stable_sort(
      axes, {}, [](const Axis& axis) { return std::abs(axis.to_stride); });
  RowCopy copy{.from = from.raw_data(),
               .to = to.raw_data(),
               .bytes = to.itemsize(),
               .rows = 1,
               .from_stride = 0,
               .to_stride = 0};
  for (const Axis& axis : axes) {
    const auto continues = [&axis](int64_t from_next, int64_t to_next) {
      return axis.from_stride == from_next && axis.to_stride == to_next;
    };
    if (copy.rows == 1 && continues(copy.bytes, copy.bytes)) {
      copy.bytes *= axis.extent;
    } else if (copy.rows == 1) {
      copy.rows = axis.extent;
      copy.from_stride = axis.from_stride;
      copy.to_stride = axis.to_stride;
    } else if (continues(copy.rows * copy.from_stride,
                         copy.rows * copy.to_stride)) {
      copy.rows *= axis.extent;
    } else {
      return std::nullopt;
    }
  }
  return copy;
}

}  // namespace

void assign_all(std::span<const Assignment> assignments) {
  if (assignments.empty()) return;
  const Device device = assignments[0].to.device();
  for (const Assignment& a : assignments) check(a, device);
  CopyRows* const copy_rows =
      assignments.size() > 1 ? kernel_slot<RowCopies>.on(device).copy : nullptr;
  std::vector<RowCopy> copies;
  for (const Assignment& a : assignments) {
    if (a.to.size() == 0) continue;
    const auto copy = copy_rows == nullptr ? std::nullopt : as_rows(a);
    if (copy) {
      copies.push_back(*copy);
    } else {
      a.to.assign(a.from);
    }
  }
  if (!copies.empty()) copy_rows(device, copies);
}

}  // namespace catena::array
