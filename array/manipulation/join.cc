#include "catena/array/manipulation/join.h"

#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/manipulation/axes.h"

namespace catena::array {
namespace {

template <class F>
std::vector<Array> each(std::span<const Array> arrays,
                        std::string_view operation, F f) {
  if (arrays.empty()) {
    raise<ValueError>(operation, ": expected at least one array, got none");
  }
  std::vector<Array> results;
  for (const Array& a : arrays) results.push_back(f(a));
  return results;
}

}  // namespace

Array vstack(std::span<const Array> arrays) {
  return concatenate(
      each(arrays, "vstack", [](const Array& a) { return atleast_2d(a); }));
}

Array hstack(std::span<const Array> arrays) {
  const std::vector<Array> parts =
      each(arrays, "hstack", [](const Array& a) { return atleast_1d(a); });
  return concatenate(parts, parts[0].ndim() == 1 ? 0 : 1);
}

Array dstack(std::span<const Array> arrays) {
  return concatenate(
      each(arrays, "dstack", [](const Array& a) { return atleast_3d(a); }), 2);
}

Array column_stack(std::span<const Array> arrays) {
  const auto columns = [](const Array& a) {
    if (a.ndim() < 1 || a.ndim() > 2) {
      raise<ShapeError>(
          "column_stack: expected arrays with one or two axes, got shape ",
          a.shape());
    }
    return a.ndim() == 1 ? a.expand_dims(1) : a;
  };
  return concatenate(each(arrays, "column_stack", columns), 1);
}

Array append(const Array& a, const Array& values,
             const OptionalAxisOption& options) {
  return concatenate({a, values}, options);
}

}  // namespace catena::array
