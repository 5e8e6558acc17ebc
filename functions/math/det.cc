#include "catena/functions/math/det.h"

#include "catena/functions/math/internal/determinant.h"

namespace catena::functions {

Variable det(const Variable& a) { return determinant("det", a, 2); }

}  // namespace catena::functions
