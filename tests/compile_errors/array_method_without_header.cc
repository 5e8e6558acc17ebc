// Reductions and sorting are not in the target of arrays.
// error: need the header that catena/array/array.h names above them, such as
// #include "catena/array/reduction/reduce.h"

#include "catena/array/array.h"

catena::Array total(const catena::Array& a) { return a.sum(); }

void order(const catena::Array& a) { a.sort(); }
