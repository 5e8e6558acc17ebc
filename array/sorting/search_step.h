#pragma once

#include <cstdint>

#include "catena/array/core/host_device.h"
#include "catena/array/sorting/sort_key.h"

namespace catena::array {

// The binary search for one value, by sort keys (sort_key.h).
template <class T>
CATENA_HOST_DEVICE int64_t search_sorted(const Bits<sizeof(T)>* sorted,
                                         int64_t length, Bits<sizeof(T)> value,
                                         bool right) {
  using Key = Bits<sizeof(T)>;
  const Key wanted = SortKey<T>::encode_equal(value);
  int64_t first = 0;
  while (length > 0) {
    const int64_t half = length / 2;
    const Key key = SortKey<T>::encode_equal(sorted[first + half]);
    const bool skip = right ? key <= wanted : key < wanted;
    first = skip ? first + half + 1 : first;
    length = skip ? length - half - 1 : half;
  }
  return first;
}

}  // namespace catena::array
