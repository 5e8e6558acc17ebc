// first error: Sequential: a layer is a link or a function of variables: wrap
// another one, `[](const Variable& x) { return f(x, ...); }`

#include "catena/links/sequential.h"

catena::Variable power(const catena::Variable& x, int exponent);

void train() { catena::Sequential model(power); }
