// An array is a variable without gradient as an argument, but has none to add.
// error: addgrad

#include "catena/autograd/variable.h"

void accumulate(const catena::Variable& x, const catena::Array& gradient) {
  x.addgrad(gradient);
}
