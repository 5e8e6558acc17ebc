#include "catena/array/indexing/along_axis.h"

#include "catena/array/aliasing.h"
#include "catena/array/elementwise.h"
#include "catena/array/indexing/index_check.h"
#include "catena/array/indexing/selection.h"

namespace catena::array {
namespace {

Selection select(const Array& a, const Array& indices, int64_t axis,
                 std::string_view operation) {
  const Array* const both[] = {&a, &indices};
  common_device(both, operation);
  const int position = normalize_axis(axis, a.ndim(), operation);
  const Array plain = index_array(indices, operation);
  Selection selection = select_along_axis(a, plain, position, operation);
  check_index(plain, position, {.extent = a.shape()[position]}, operation);
  return selection;
}

}  // namespace

Array take_along_axis(const Array& a, const Array& indices,
                      const AxisOption& options) {
  return select(a, indices, options.axis, "take_along_axis").gather();
}

void put_along_axis(const Array& a, const Array& indices, const Operand& values,
                    const AxisOption& options) {
  check_writable(a, "put_along_axis");
  select(a, indices, options.axis, "put_along_axis")
      .scatter_update(values, "put_along_axis");
}

}  // namespace catena::array
