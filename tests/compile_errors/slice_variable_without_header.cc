// error: VariableMethods

#include "catena/autograd/variable.h"

catena::Variable corner(const catena::Variable& x) { return x[{0, 0}]; }
