// first error: Sequential: a layer is a link or a function of one variable:
// wrap another one, `[](const Variable& x) { return f(x, ...); }`

#include "catena/links/sequential.h"

catena::Variable add(const catena::Variable& x, const catena::Variable& y);

void train() { catena::Sequential model(add); }
