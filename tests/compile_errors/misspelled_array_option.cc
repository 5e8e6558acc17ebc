// error: BincountOptions

#include "catena/array/statistics/histogram.h"

catena::Array counts(const catena::Array& x) {
  return catena::array::bincount(x, {.minlenght = 10});
}
