// error: SumOptions

#include "catena/functions/math/sum.h"

catena::Variable rows(const catena::Variable& x) {
  return catena::functions::sum(x, {.axis = 1, .kepdims = true});
}
