// first error: a[mask], a[indices]: write array::getitem(a, {mask}) for a copy,
// array::setitem(a, {mask}, values) to assign
// (catena/array/indexing/getitem.h)

#include "catena/array/array.h"

catena::Array selected(const catena::Array& a, const catena::Array& mask) {
  return a[mask];
}
