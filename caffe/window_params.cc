#include "catena/caffe/window_params.h"

#include <vector>

#include "catena/array/error.h"

namespace catena::caffe {

Shape window_size(const Message& params, const WindowField& field, int ndim) {
  std::vector<int64_t> values = params.integers(field.list);
  const bool by_axis = field.height != nullptr &&
                       (params.has(field.height) || params.has(field.width));
  if (by_axis) {
    if (!values.empty()) {
      raise<ValueError>(field.list, " and ", field.height, " or ", field.width,
                        " are both given");
    }
    if (ndim != 2) {
      raise<ValueError>(field.height, " and ", field.width,
                        " are for 2 spatial axes, but there are ", ndim);
    }
    values = {params.integer(field.height), params.integer(field.width)};
  }
  if (values.empty()) {
    if (!field.otherwise) raise<ValueError>("no ", field.list, " is given");
    values = {*field.otherwise};
  }
  if (values.size() == 1) values.resize(static_cast<size_t>(ndim), values[0]);
  if (values.size() != static_cast<size_t>(ndim)) {
    raise<ValueError>(field.list, ": expected one number for each of ", ndim,
                      " spatial axes, or one for all, got ", values.size());
  }
  for (const int64_t value : values) {
    if (value < field.least || value > INT32_MAX) {
      raise<ValueError>(by_axis ? field.height : field.list,
                        ": expected numbers from ", field.least,
                        " to 2147483647, got ", value);
    }
  }
  return Shape(values);
}

}  // namespace catena::caffe
