#pragma once

#include <optional>

#include "catena/array/array.h"
#include "catena/array/result_type.h"

namespace catena::array {

struct CopytoOptions {
  // Which casts from the source's dtype are allowed; a number is cast like an
  // array of the dtype that it would promote to beside dst.
  Casting casting = Casting::kSameKind;
  // A bool array that broadcasts to dst: where it holds, elements are copied.
  std::optional<Array> where = std::nullopt;
};

// Writes `src`, which broadcasts to dst's shape, into dst. DtypeError for a
// cast that is not allowed and for a mask that is not bool, ShapeError,
// DeviceError, ValueError when dst is a broadcast view.
void copyto(const Array& dst, const Operand& src,
            const CopytoOptions& options = {});

}  // namespace catena::array
