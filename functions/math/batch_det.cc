#include "catena/functions/math/batch_det.h"

#include "catena/functions/math/internal/determinant.h"

namespace catena::functions {

Variable batch_det(const Variable& a) { return determinant("batch_det", a, 3); }

}  // namespace catena::functions
