#pragma once

#include "catena/array/error.h"

namespace catena {

// Linear algebra that has no result: a singular matrix, one that is not
// positive definite, elements that are not finite where an iteration needs
// them, an iteration that does not converge. The text names the routine and the
// matrix, by its number in a stack in C order.
class LinAlgError : public Error {
 public:
  using Error::Error;
};

}  // namespace catena
