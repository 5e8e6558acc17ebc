#include "catena/array/result_type.h"

namespace catena::array {

Dtype result_type(std::span<const DtypeSource> sources) {
  Dtype dtype = Dtype::kBool;  // which promotes to any other
  for (const DtypeSource& source : sources) {
    if (!source.is_number()) dtype = promote(dtype, source.dtype());
  }
  for (const DtypeSource& source : sources) {
    if (source.is_number()) dtype = source.number().promoted_with(dtype);
  }
  return dtype;
}

}  // namespace catena::array
