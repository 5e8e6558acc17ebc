#include "catena/links/connection/parameter.h"

namespace catena::links {

ParameterLink::ParameterLink(const Array& array)
    : W(this, "W",
        Initializer([array](const Array& out) { out.assign(array); },
                    array.dtype()),
        array.shape()) {}

}  // namespace catena::links
