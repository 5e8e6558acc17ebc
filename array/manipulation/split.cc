#include "catena/array/manipulation/split.h"

#include "catena/array/core/error.h"
#include "catena/array/index.h"

namespace catena::array {
namespace {

Array part_of(const Array& a, int axis, const Slice& slice) {
  std::vector<Index> part(axis, Slice());
  part.push_back(slice);
  return basic_index(a, part);
}

int axis_for(const Array& a, int axis, int min_ndim,
             std::string_view operation) {
  if (a.ndim() < min_ndim) {
    raise<ShapeError>(operation, ": expected an array with at least ", min_ndim,
                      " axes, got shape ", a.shape());
  }
  return axis;
}
int vsplit_axis(const Array& a) { return axis_for(a, 0, 2, "vsplit"); }
int hsplit_axis(const Array& a) {
  return axis_for(a, a.ndim() == 1 ? 0 : 1, 1, "hsplit");
}
int dsplit_axis(const Array& a) { return axis_for(a, 2, 3, "dsplit"); }

}  // namespace

std::vector<Array> array_split(const Array& a, int64_t sections,
                               const AxisOption& options) {
  const int position = normalize_axis(options.axis, a.ndim(), "array_split");
  if (sections <= 0) {
    raise<ValueError>("array_split: expected a positive number of parts, got ",
                      sections);
  }
  const int64_t extent = a.shape()[position];
  std::vector<Array> parts;
  int64_t begin = 0;
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t end = begin + extent / sections + (i < extent % sections);
    parts.push_back(part_of(a, position, Slice(begin, end)));
    begin = end;
  }
  return parts;
}

std::vector<Array> array_split(const Array& a, std::span<const int64_t> indices,
                               const AxisOption& options) {
  const int position = normalize_axis(options.axis, a.ndim(), "array_split");
  std::vector<Array> parts;
  int64_t begin = 0;
  for (const int64_t end : indices) {
    parts.push_back(part_of(a, position, Slice(begin, end)));
    begin = end;
  }
  parts.push_back(part_of(a, position, Slice(begin, std::nullopt)));
  return parts;
}

std::vector<Array> split(const Array& a, int64_t sections,
                         const AxisOption& options) {
  const int position = normalize_axis(options.axis, a.ndim(), "split");
  const int64_t extent = a.shape()[position];
  if (sections <= 0 || extent % sections != 0) {
    raise<ValueError>(
        "split: expected a number of parts that divides the "
        "extent ",
        extent, " of axis ", position, ", got ", sections);
  }
  return array_split(a, sections, position);
}

std::vector<Array> split(const Array& a, std::span<const int64_t> indices,
                         const AxisOption& options) {
  return array_split(a, indices,
                     normalize_axis(options.axis, a.ndim(), "split"));
}

std::vector<Array> vsplit(const Array& a, int64_t sections) {
  return split(a, sections, vsplit_axis(a));
}
std::vector<Array> hsplit(const Array& a, int64_t sections) {
  return split(a, sections, hsplit_axis(a));
}
std::vector<Array> dsplit(const Array& a, int64_t sections) {
  return split(a, sections, dsplit_axis(a));
}
std::vector<Array> vsplit(const Array& a,
                          std::initializer_list<int64_t> indices) {
  return split(a, indices, vsplit_axis(a));
}
std::vector<Array> hsplit(const Array& a,
                          std::initializer_list<int64_t> indices) {
  return split(a, indices, hsplit_axis(a));
}
std::vector<Array> dsplit(const Array& a,
                          std::initializer_list<int64_t> indices) {
  return split(a, indices, dsplit_axis(a));
}

}  // namespace catena::array
