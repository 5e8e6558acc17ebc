#include <cstdint>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/dtype.h"
#include "catena/array/sorting/sort.h"
#include "catena/array/statistics/cumulative.h"
#include "catena/array/take.h"
#include "catena/array/user_kernel/elementwise_kernel.h"
#include "catena/array/user_kernel/reduction_kernel.h"
#include "catena/tests/benchmarks/cases.h"

namespace catena::benchmarks {
namespace {

// 2^26 elements on a GPU.
Array values(const CaseOptions& options) {
  return uniform({size_of_case(options, 1000, 1 << 26, 1 << 22)},
                 options.dtype);
}

double bytes_of(const Array& x) {
  return static_cast<double>(x.size() * item_size(x.dtype()));
}

Work squared_difference(const CaseOptions& options) {
  const Array x = values(options);
  const array::ElementwiseKernel kernel(
      "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference");
  return {[x, y = values(options), kernel] { kernel(x, y); }, 3 * bytes_of(x),
          "B"};
}

// The norm of each of 2^13 rows on a GPU.
Work norm_of_rows(const CaseOptions& options) {
  const int64_t columns = size_of_case(options, 10, 1 << 13, 1 << 11);
  const Array x = values(options).reshape({-1, columns});
  const array::ReductionKernel kernel("T x", "T y", "x * x", "a + b",
                                      "y = sqrt(a)", "0", "norm");
  return {[x, kernel] { kernel({x}, {.axis = 1}); }, bytes_of(x), "B"};
}

Work sort_values(const CaseOptions& options) {
  const Array x = values(options);
  return {[x] { array::sort(x); }, static_cast<double>(x.size()), "elements"};
}

// At random places: the indices and the values are read, the latter written.
Work take_values(const CaseOptions& options) {
  const Array x = values(options);
  const Array indices = integers(x.size(), x.shape());
  return {[x, indices] { array::take(x, indices); },
          2 * bytes_of(x) + bytes_of(indices), "B"};
}

Work cumulative_sum(const CaseOptions& options) {
  const Array x = values(options);
  return {[x] { array::cumsum(x); }, 2 * bytes_of(x), "B"};
}

}  // namespace

std::vector<Case> cupy_cases() {
  return {
      {.name = "elementwise_kernel",
       .prepare = squared_difference,
       .only_float32 = true},
      {.name = "reduction_kernel",
       .prepare = norm_of_rows,
       .only_float32 = true},
      {.name = "sort", .prepare = sort_values, .only_float32 = true},
      {.name = "take", .prepare = take_values, .only_float32 = true},
      {.name = "cumsum", .prepare = cumulative_sum, .only_float32 = true},
  };
}

}  // namespace catena::benchmarks
