#pragma once

#include "catena/array/core/error.h"

namespace catena {

// The compiler rejected the source of a user-defined kernel. The message has
// the compiler's errors, with line numbers relative to each part of the source,
// and the user's numbered lines.
class CompileError : public Error {
 public:
  using Error::Error;
};

}  // namespace catena
