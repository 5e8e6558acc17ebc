#include "catena/functions/array/flatten.h"

#include "catena/functions/array/reshape.h"

namespace catena::functions {

Variable flatten(const Variable& x) { return reshape(x, {x.size()}); }

}  // namespace catena::functions
