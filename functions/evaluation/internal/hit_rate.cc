#include "catena/functions/evaluation/internal/hit_rate.h"

#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::functions {

Array hit_rate(const Array& right, const Array& counts, Dtype dtype) {
  const Array hits = array::count_nonzero(array::logical_and(right, counts));
  const Array total = array::maximum(array::count_nonzero(counts), 1);
  return array::true_divide(hits, total).astype(dtype);
}

}  // namespace catena::functions
