#include "catena/training/read_scalars.h"

#include <algorithm>
#include <utility>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"

namespace catena::training {
namespace {

// The scalars of one device, and their places among all.
struct Group {
  Device device;
  std::vector<Array> values = {};
  std::vector<size_t> places = {};
};

std::vector<Group> by_device(std::span<const Array> scalars) {
  std::vector<Group> groups;
  for (size_t i = 0; i < scalars.size(); ++i) {
    const Array& scalar = scalars[i];
    if (scalar.ndim() != 0) {
      raise<ShapeError>("read_scalars: expected 0-d arrays, got the shape ",
                        scalar.shape());
    }
    auto group = std::ranges::find(groups, scalar.device(), &Group::device);
    if (group == groups.end()) {
      group = groups.insert(group, Group{.device = scalar.device()});
    }
    group->values.push_back(scalar.reshape({1}));
    group->places.push_back(i);
  }
  // Copies to GPUs do not wait.
  std::partition(groups.begin(), groups.end(), [](const Group& group) {
    return !group.device.shares_host_memory();
  });
  return groups;
}

}  // namespace

std::vector<double> read_scalars(std::span<const Array> scalars) {
  std::vector<double> numbers(scalars.size());
  if (scalars.empty()) return numbers;
  const std::vector<Group> groups = by_device(scalars);
  std::vector<Array> parts;
  for (const Group& group : groups) {
    parts.push_back(array::concatenate(group.values)
                        .astype(Dtype::kFloat64, Array::CopyPolicy::kIfNeeded)
                        .to_device(groups[0].device));
  }
  const Array all = array::concatenate(parts).to_device(native_device());
  const auto* number = all.data<double>();
  for (const Group& group : groups) {
    for (const size_t place : group.places) numbers[place] = *number++;
  }
  return numbers;
}

}  // namespace catena::training
