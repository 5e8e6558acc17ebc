// error: deleted

#include "catena/array/array.h"

bool is_set(const catena::Array& a) { return a ? true : false; }
