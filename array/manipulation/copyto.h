#pragma once

#include <optional>

#include "catena/array/array.h"
#include "catena/array/result_type.h"

namespace catena::array {

struct CopytoOptions {
  NamedFieldsOnly keywords = {};
  // Which casts from the source's dtype are allowed; a number counts as an
  // array of its promotion with dst.
  Casting casting = Casting::kSameKind;
  // A bool mask that broadcasts to dst; only elements where it is true are
  // copied.
  std::optional<Array> where = std::nullopt;
};

// Writes `src`, from any device, broadcast to dst's shape, into dst. Throws
// DtypeError for a cast that is not allowed and for a mask that is not bool,
// ShapeError, DeviceError for a mask on another device than dst, and ValueError
// when dst is a broadcast view.
void copyto(const Array& dst, const Operand& src,
            const CopytoOptions& options = {});

}  // namespace catena::array
