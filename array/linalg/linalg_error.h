#pragma once

#include "catena/array/core/error.h"

namespace catena {

// A linear algebra problem without a result: a matrix that is singular or not
// positive definite, elements that are not finite where an iteration needs
// them, no convergence. The message names the routine and the matrix, by its
// index in a stack in C order.
class LinAlgError : public Error {
 public:
  using Error::Error;
};

}  // namespace catena
