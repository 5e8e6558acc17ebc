#include "catena/functions/loss/squared_error.h"

#include "catena/functions/loss/internal/same_shape.h"
#include "catena/functions/math/squared_difference.h"

namespace catena::functions {

Variable squared_error(const Variable& x0, const Variable& x1) {
  constexpr std::string_view kNames[] = {"x0", "x1"};
  check_same_shape("squared_error", {x0, x1}, kNames);
  return squared_difference(x0, x1);
}

}  // namespace catena::functions
