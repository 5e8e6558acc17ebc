#include "catena/functions/math/inv.h"

#include "catena/functions/math/internal/inverse.h"

namespace catena::functions {

Variable inv(const Variable& a) { return inverse("inv", a, 2); }

}  // namespace catena::functions
