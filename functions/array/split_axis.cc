#include "catena/functions/array/split_axis.h"

#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/functions/array/internal/join.h"
#include "catena/functions/axes.h"

namespace catena::functions {
namespace {

constexpr std::string_view kLabel = "split_axis";
constexpr std::string_view kNames[] = {"x"};

// The extent of the axis, when there is one.
type_check::Term extent_of(TypeCheck& in, int64_t axis) {
  in.set_names(kNames);
  expect_axis(in, in[0], axis);
  return in[0].shape(static_cast<int>(axis));
}

}  // namespace

Variables split_axis(const Variable& x, int64_t sections,
                     const AxisOption& options) {
  if (sections < 1) {
    raise<ValueError>("split_axis: expected at least 1 section, got ",
                      sections);
  }
  const VariableRef inputs[] = {x};
  TypeCheck in(kLabel, inputs);
  const type_check::Term extent = extent_of(in, options.axis);
  in.expect(extent % type_check::make_variable(sections, "sections") == 0);
  return cut(kLabel, x, options.axis,
             std::vector<int64_t>(static_cast<size_t>(sections),
                                  extent.value / sections));
}

Variables split_axis(const Variable& x, std::span<const int64_t> indices,
                     const AxisOption& options) {
  const VariableRef inputs[] = {x};
  TypeCheck in(kLabel, inputs);
  const type_check::Term extent = extent_of(in, options.axis);
  std::vector<int64_t> extents;
  int64_t begin = 0;
  for (const int64_t index : indices) {
    if (index < begin) {
      raise<ValueError>(
          "split_axis: expected nonnegative indices in ascending order, got ",
          index, " after ", begin);
    }
    in.expect(extent >= type_check::make_variable(index, "index"));
    extents.push_back(index - begin);
    begin = index;
  }
  extents.push_back(extent.value - begin);
  return cut(kLabel, x, options.axis, std::move(extents));
}

}  // namespace catena::functions
