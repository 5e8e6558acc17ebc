#include "catena/optimizers/sum_many.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "catena/array/creation.h"
#include "catena/array/elementwise.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/optimizers/flat_arrays.h"

namespace catena::optimizers {
namespace {

// The arrays of one device and dtype.
struct Group {
  Device device;
  Dtype dtype;
  std::vector<Array> arrays = {};
  std::vector<int64_t> sizes = {};
  std::vector<char*> data = {};
};

std::vector<Group> group(std::span<const Array> arrays) {
  std::vector<Group> groups;
  for (const Array& a : arrays) {
    const auto same = std::ranges::find_if(groups, [&](const Group& group) {
      return group.device == a.device() && group.dtype == a.dtype();
    });
    Group& own = same != groups.end()
                     ? *same
                     : groups.emplace_back(Group{a.device(), a.dtype()});
    own.arrays.push_back(are_flat({&a, 1}) ? a : a.copy());
    own.sizes.push_back(a.size());
    own.data.push_back(own.arrays.back().raw_data());
  }
  return groups;
}

}  // namespace

std::vector<Array> sum_many(const KernelSlot<SumManyTable>& slot,
                            std::span<const Array> arrays) {
  std::vector<Array> sums;
  for (const Group& group : group(arrays)) {
    SumManyFn* const kernel = slot.on(group.device)[group.dtype];
    if (kernel == nullptr) array::raise_not_offered(slot.name, group.dtype);
    const Array sum = array::empty({}, Dtype::kFloat64, group.device);
    kernel(group.device, group.sizes, group.data, sum.data<double>());
    const auto same = std::ranges::find(sums, group.device, &Array::device);
    if (same == sums.end()) {
      sums.push_back(sum);
    } else {
      *same += sum;
    }
  }
  return sums;
}

}  // namespace catena::optimizers
