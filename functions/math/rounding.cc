#include "catena/functions/math/rounding.h"

#include "catena/array/ufunc/ufunc.h"

namespace catena::functions {

Variable ceil(const Variable& x) { return as_variable(array::ceil(x.data())); }
Variable floor(const Variable& x) {
  return as_variable(array::floor(x.data()));
}
Variable fix(const Variable& x) { return as_variable(array::trunc(x.data())); }
Variable sign(const Variable& x) { return as_variable(array::sign(x.data())); }

}  // namespace catena::functions
