#include "catena/functions/array/separate.h"

#include "catena/functions/array/internal/join.h"
#include "catena/functions/axes.h"

namespace catena::functions {

Variables separate(const Variable& x, const AxisOption& options) {
  static constexpr std::string_view kNames[] = {"x"};
  const VariableRef inputs[] = {x};
  TypeCheck in("separate", inputs);
  in.set_names(kNames);
  expect_axis(in, in[0], options.axis);
  if (in[0].shape(static_cast<int>(options.axis)).value == 0) return {};
  return cut_apart("separate", x, options.axis);
}

}  // namespace catena::functions
