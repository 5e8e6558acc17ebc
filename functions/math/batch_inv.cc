#include "catena/functions/math/batch_inv.h"

#include "catena/functions/math/internal/inverse.h"

namespace catena::functions {

Variable batch_inv(const Variable& a) { return inverse("batch_inv", a, 3); }

}  // namespace catena::functions
