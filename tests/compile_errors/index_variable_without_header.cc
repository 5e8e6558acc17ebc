// error: methods of Variable need #include
// "catena/functions/math/variable_methods.h"

#include "catena/autograd/variable.h"

catena::Variable first(const catena::Variable& x) { return x[0]; }
