#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/linalg/decomposition_kernel.h"
#include "catena/array/linalg/linalg_error.h"

// Shared by the linear algebra routines: checks of arguments, copies in the
// kernels' layout, and the status of each matrix.
namespace catena::array::linalg {

// float32 for float32, float64 for float64, integers and bool. Throws
// DtypeError for the 16-bit floats, as NumPy does.
Dtype linalg_dtype(std::string_view name, Dtype dtype);

// Throw ShapeError unless `a` has at least two axes, and unless the last two
// have the same extent.
void check_matrices(std::string_view name, const Array& a);
void check_square(std::string_view name, const Array& a);

// The extents before the last two axes, followed by `last`.
Shape stack_shape(const Array& a, std::initializer_list<int64_t> last = {});

// Swaps the last two axes.
Array swap_last(const Array& a);

// A contiguous copy in linalg_dtype. Kernels, which are column-major, see each
// matrix transposed.
Array matrices_for_kernel(std::string_view name, const Array& a);

// Zero the elements above or below the diagonal; both keep the diagonal.
Array keep_lower(const Array& a);
Array keep_upper(const Array& a);
// A view of the diagonals of matrices.
Array diagonals(const Array& a);

// Throws LinAlgError naming the first matrix of `a` whose counterpart in
// `elements` has an infinity or NaN.
void check_finite(std::string_view name, const Array& elements, const Array& a);

// The first matrix whose status is not 0, and that status.
struct Failure {
  int64_t matrix;
  int64_t status;
};
std::optional<Failure> find_failure(const Array& status);
// "matrix 3 of shape (2, 3, 4, 4)".
std::string describe_matrix(int64_t matrix, const Array& a);

// Runs the kernel of Args on `a`, a contiguous stack to which args.a (if any)
// refers. Returns the status of each matrix.
template <class Args>
Array run_on_stack(const Array& a, Args args) {
  args.device = a.device();
  args.dtype = a.dtype();
  args.batch = size_of(stack_shape(a));
  const Array status = empty({args.batch}, Dtype::kInt32, args.device);
  args.status = status.data<int32_t>();
  kernel_slot<Decomposition<Args>>.on(args.device)[args.dtype](args);
  return status;
}

}  // namespace catena::array::linalg
