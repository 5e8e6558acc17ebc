#include "catena/functions/math/add.h"

#include "catena/array/core/error.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/engines/rules/arithmetic_ops.h"
#include "catena/functions/math/internal/combination_ops.h"

namespace catena::functions {

Variable add(std::span<const Variable> xs) {
  if (xs.size() < 2) {
    raise<ValueError>("add: expected at least two variables, got ", xs.size());
  }
  Variable sum = xs[0];
  size_t next = 1;
  while (next < xs.size()) {
    const std::span<const Variable> rest = xs.subspan(next);
    switch (rest.size()) {
      case 1:
        sum = elementwise<Add>(sum, rest[0]);
        break;
      case 2:
        sum = elementwise<Add3>(sum, rest[0], rest[1]);
        break;
      default:
        sum = elementwise<Add4>(sum, rest[0], rest[1], rest[2]);
    }
    next += rest.size() < 3 ? rest.size() : 3;
  }
  return sum;
}

}  // namespace catena::functions
