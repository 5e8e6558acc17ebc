#include "catena/links/activation/prelu.h"

#include "catena/functions/activation/prelu.h"

namespace catena::links {

PReLU::PReLU(const Shape& shape, const Initializer& init)
    : W(this, "W", init, shape) {}

Variable PReLU::forward(const Variable& x) { return functions::prelu(x, W); }

}  // namespace catena::links
