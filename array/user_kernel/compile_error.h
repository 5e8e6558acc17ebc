#pragma once

#include "catena/array/error.h"

namespace catena {

// The compiler refused the text of a user-defined kernel. The message shows its
// complaints, which count lines from the beginning of each part of the text,
// and the user's lines with their numbers.
class CompileError : public Error {
 public:
  using Error::Error;
};

}  // namespace catena
