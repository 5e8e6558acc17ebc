// The functions behind x.reshape() are above autograd.
// error: methods of Variable need #include
// "catena/functions/math/variable_methods.h"

#include "catena/autograd/variable.h"

catena::Variable flat(const catena::Variable& x) { return x.reshape({-1}); }
