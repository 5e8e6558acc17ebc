#include "catena/functions/loss/internal/index_groups.h"

#include <limits>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/sorting/search.h"
#include "catena/array/sorting/sort.h"

namespace catena::functions {
namespace {

// A stable counting sort.
template <class T>
void group_on_host(const T* indices, int64_t count, int32_t* starts,
                   int64_t extent, int32_t* positions) {
  // Group v is counted at v + 1; negative indices at 0.
  const auto group_of = [](T index) {
    return index < 0 ? int64_t{0} : static_cast<int64_t>(index) + 1;
  };
  for (int64_t i = 0; i < count; ++i) ++starts[group_of(indices[i])];
  int32_t next = 0;
  for (int64_t v = 0; v <= extent; ++v) {
    const int32_t size = starts[v];
    starts[v] = next;
    next += size;
  }
  // starts[v + 1] is the start of group v, and moves to its end.
  for (int64_t i = 0; i < count; ++i) {
    positions[starts[group_of(indices[i])]++] = static_cast<int32_t>(i);
  }
}

}  // namespace

IndexGroups group_indices(const Array& indices, int64_t extent) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const Array flat = indices.ravel().contiguous();
  if (flat.size() > kMax || extent >= kMax) {
    raise<ShapeError>(
        "group_indices: expected less than 2^31 indices into "
        "less than 2^31 rows, got ",
        flat.size(), " and ", extent);
  }
  if (!indices.device().shares_host_memory()) {
    const Array order = array::argsort(flat);
    const Array bounds = array::arange(extent + 1, flat.dtype(), flat.device());
    const Array starts = array::searchsorted(flat, bounds, {.sorter = order});
    return {starts.astype(Dtype::kInt32), order.astype(Dtype::kInt32)};
  }
  const IndexGroups groups{
      array::zeros({extent + 1}, Dtype::kInt32, flat.device()),
      array::empty({flat.size()}, Dtype::kInt32, flat.device())};
  const auto group = [&]<class T>(const T* first) {
    group_on_host(first, flat.size(), groups.starts.data<int32_t>(), extent,
                  groups.positions.data<int32_t>());
  };
  if (flat.dtype() == Dtype::kInt32) {
    group(flat.data<int32_t>());
  } else {
    group(flat.data<int64_t>());
  }
  return groups;
}

}  // namespace catena::functions
