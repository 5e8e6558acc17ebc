#include "catena/array/linalg/matmul.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/elementwise.h"
#include "catena/array/linalg/gemm.h"
#include "catena/array/output.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::array {
namespace {

// A matrix, or a stack of matrices, in a layout for kernels.
struct Operand2d {
  Array array;
  bool swapped;  // whether the last two axes are meant in the other order

  int ndim() const { return array.ndim(); }
  int64_t extent(int axis_from_end) const {
    const int axis = swapped ? 3 - axis_from_end : axis_from_end;
    return array.shape()[ndim() - axis];
  }
  int64_t stride(int axis_from_end) const {
    const int axis = swapped ? 3 - axis_from_end : axis_from_end;
    return array.strides()[ndim() - axis];
  }
  int64_t rows() const { return extent(2); }
  int64_t columns() const { return extent(1); }
  int64_t row_stride() const { return stride(2); }
  int64_t column_stride() const { return stride(1); }
};

// The leading dimension in items, if the layout is valid for BLAS: contiguous
// rows (or columns) that do not overlap.
bool leading_dimension(int64_t count, int64_t distance, int64_t length,
                       int64_t step, int64_t item, int64_t& ld) {
  if (length > 1 && step != item) return false;
  ld = count > 1 ? distance / item : std::max<int64_t>(length, 1);
  return count <= 1 || (distance % item == 0 && ld >= length);
}

bool describe(const Operand2d& x, GemmArgs::Matrix& matrix) {
  const int64_t item = x.array.itemsize();
  matrix.data = x.array.raw_data();
  matrix.transposed = false;
  if (leading_dimension(x.rows(), x.row_stride(), x.columns(),
                        x.column_stride(), item, matrix.ld)) {
    return true;
  }
  matrix.transposed = true;
  return leading_dimension(x.columns(), x.column_stride(), x.rows(),
                           x.row_stride(), item, matrix.ld);
}

// Describes x for the kernel, after copying it if necessary.
void describe_or_copy(Operand2d& x, GemmArgs::Matrix& matrix) {
  if (describe(x, matrix)) return;
  x.array = x.array.copy();
  describe(x, matrix);
}

// Strides along out's leading axes; 0 where x is missing the axis or
// broadcasts.
void set_batch_strides(const Array& x, int leading, GemmArgs::Matrix& matrix) {
  const int own = x.ndim() - 2;
  for (int i = 0; i < leading; ++i) {
    const int axis = i - (leading - own);
    const bool repeats = axis < 0 || x.shape()[axis] == 1;
    matrix.batch_strides[i] = repeats ? 0 : x.strides()[axis];
  }
}

// Whether batch axes `outer` and `inner` can be merged in every matrix.
bool can_merge(const GemmArgs& args, int outer, int inner) {
  for (const GemmArgs::Matrix* x : {&args.a, &args.b, &args.c}) {
    if (x->batch_strides[outer] !=
        x->batch_strides[inner] * args.batch_shape[inner]) {
      return false;
    }
  }
  return true;
}

void fold_batch(GemmArgs& args, int64_t item) {
  int last = -1;
  for (int i = 0; i < args.batch_ndim; ++i) {
    if (args.batch_shape[i] == 1) continue;
    const bool merges = last >= 0 && can_merge(args, last, i);
    const int64_t outer = merges ? args.batch_shape[last] : 1;
    if (!merges) ++last;
    args.batch_shape[last] = args.batch_shape[i] * outer;
    for (GemmArgs::Matrix* x : {&args.a, &args.b, &args.c}) {
      x->batch_strides[last] = x->batch_strides[i];
    }
  }
  // A stack of matrices times one matrix is a single larger product.
  const bool is_taller =
      last >= 0 && args.b.batch_strides[last] == 0 && !args.a.transposed &&
      args.a.batch_strides[last] == args.m * args.a.ld * item &&
      args.c.batch_strides[last] == args.m * args.c.ld * item;
  if (is_taller) args.m *= args.batch_shape[last--];
  args.batch_ndim = last + 1;
  args.batch = 1;
  for (int i = 0; i < args.batch_ndim; ++i) args.batch *= args.batch_shape[i];
}

// Whether a kernel has computed the product, and the sums of a's rows with it.
bool multiply_fused(const GemmArgs& args) {
  FusedGemm::Kernel* kernel =
      kernel_slot<FusedGemm>.on(args.device)[args.dtype];
  return kernel != nullptr && kernel(args);
}

// Writes the product to `out`, which has the right shape, dtype and device.
// Returns whether the sums of a's rows have been written to `row_sums`, a
// contiguous array, too.
bool multiply_matrices(std::string_view name, Operand2d a, Operand2d b,
                       Operand2d out, double alpha, double beta,
                       Array bias = {}, const Array& row_sums = {}) {
  if (out.array.size() == 0) return false;
  GemmKernel* kernel =
      kernel_slot<Gemm>.on(out.array.device())[out.array.dtype()];
  if (kernel == nullptr) {
    raise<DtypeError>(name, ": not offered for dtype ", out.array.dtype());
  }
  if (a.columns() == 0) {  // nothing is added up
    if (bias.defined()) {
      out.array.assign(bias);
    } else if (beta == 0) {
      out.array.fill(0);
    } else {
      out.array.assign(array::multiply(out.array, beta));
    }
    return false;
  }
  GemmArgs args = {};
  if (!describe(out, args.c)) {
    const Array plain = beta == 0 ? empty_like(out.array) : out.array.copy();
    const bool summed = multiply_matrices(name, a, b, {plain, out.swapped},
                                          alpha, beta, bias, row_sums);
    out.array.assign(plain);
    return summed;
  }
  if (args.c.transposed) {
    // Its transpose is row-major: out' = b' a'.
    out.swapped = !out.swapped;
    a.swapped = !a.swapped;
    b.swapped = !b.swapped;
    std::swap(a, b);
    describe(out, args.c);
  }
  if (may_share_memory(a.array, out.array)) a.array = a.array.copy();
  if (may_share_memory(b.array, out.array)) b.array = b.array.copy();
  describe_or_copy(a, args.a);
  describe_or_copy(b, args.b);
  args.device = out.array.device();
  args.dtype = out.array.dtype();
  args.m = a.rows();
  args.n = b.columns();
  args.k = a.columns();
  args.alpha = alpha;
  args.beta = beta;
  args.batch_ndim = out.ndim() - 2;
  for (int i = 0; i < args.batch_ndim; ++i) {
    args.batch_shape[i] = out.array.shape()[i];
  }
  set_batch_strides(a.array, args.batch_ndim, args.a);
  set_batch_strides(b.array, args.batch_ndim, args.b);
  set_batch_strides(out.array, args.batch_ndim, args.c);
  fold_batch(args, out.array.itemsize());
  if (bias.defined()) {
    bias = may_share_memory(bias, out.array) ? bias.copy() : bias.contiguous();
    const bool is_kernels =
        args.dtype == Dtype::kFloat32 && args.device.is_native();
    if (!out.swapped) args.bias = bias.raw_data();
    if (!out.swapped && !is_kernels) {
      if (multiply_fused(args)) return false;
      args.bias = nullptr;
    }
    if (args.bias == nullptr) {
      out.array.assign(bias);
      args.beta = 1;
    }
  } else if (row_sums.defined() && !out.swapped) {
    args.a_sums = row_sums.raw_data();
    if (multiply_fused(args)) return true;
    args.a_sums = nullptr;
  }
  kernel(args);
  return false;
}

Shape leading_shape(const Array& a) {
  return Shape(a.shape().begin(), a.ndim() - 2);
}

[[noreturn]] void raise_mismatch(std::string_view name, const Array& a,
                                 const Array& b, const MatmulOptions& options) {
  raise<ShapeError>(name,
                    ": expected as many columns of a as rows of b, got shapes ",
                    a.shape(), options.transa ? " (transposed)" : "", " and ",
                    b.shape(), options.transb ? " (transposed)" : "");
}

Array product(std::string_view name, const Array& a, const Array& b,
              const MatmulOptions& options, const Array& out = {}) {
  const Array* const operands[] = {&a, &b};
  common_device(operands, name);
  if (a.ndim() == 0 || b.ndim() == 0) {
    raise<ShapeError>(name, ": expected at least one axis, got shapes ",
                      a.shape(), " and ", b.shape());
  }
  const Dtype dtype = promote(a.dtype(), b.dtype());
  if (options.alpha != 1 && !is_floating(dtype)) {
    raise<DtypeError>(name, ": expected a floating dtype for alpha ",
                      options.alpha, ", got ", dtype);
  }
  const auto if_needed = Array::CopyPolicy::kIfNeeded;
  Operand2d left{a.astype(dtype, if_needed), options.transa && a.ndim() > 1};
  Operand2d right{b.astype(dtype, if_needed), options.transb && b.ndim() > 1};
  if (a.ndim() == 1) left.array = left.array.expand_dims(0);
  if (b.ndim() == 1) right.array = right.array.expand_dims(1);
  if (left.columns() != right.rows()) raise_mismatch(name, a, b, options);
  Shape shape = left.ndim() == 2 && right.ndim() == 2
                    ? Shape()
                    : broadcast_shapes(leading_shape(left.array),
                                       leading_shape(right.array), name);
  shape.push_back(left.rows());
  shape.push_back(right.columns());
  Shape kept = shape;
  if (b.ndim() == 1) kept.erase(kept.size() - 1);
  if (a.ndim() == 1) kept.erase(kept.size() - (b.ndim() == 1 ? 1 : 2));
  const Output output(name, out, kept, dtype, a.device());
  const Array result = output.room({&a, &b});
  const bool has_all_axes = a.ndim() > 1 && b.ndim() > 1;
  multiply_matrices(name, left, right,
                    {has_all_axes ? result : result.reshape(shape), false},
                    options.alpha, 0);
  return output.finish(result);
}

}  // namespace

Array matmul(const Array& a, const Array& b, const MatmulOptions& options) {
  return product("matmul", a, b, options);
}

Array dot(const Array& a, const Array& b, const OutOption& options) {
  const Dtype dtype = promote(a.dtype(), b.dtype());
  if (a.ndim() == 0 || b.ndim() == 0) {
    const Array* const factors[] = {&a, &b};
    const Device device = common_device(factors, "dot");
    // For its checks: multiply would broadcast to `out`.
    const Output output("dot", options.out,
                        a.ndim() == 0 ? b.shape() : a.shape(), dtype, device);
    return array::multiply(a, b, {.out = options.out});
  }
  if (a.ndim() <= 2 && b.ndim() <= 2) {
    return product("dot", a, b, {}, options.out);
  }
  const Array* const operands[] = {&a, &b};
  common_device(operands, "dot");
  if (a.shape().back() != b.shape()[std::max(b.ndim() - 2, 0)]) {
    raise_mismatch("dot", a, b, {});
  }
  const auto if_needed = Array::CopyPolicy::kIfNeeded;
  const Array columns = b.ndim() == 1 ? b.expand_dims(1) : b;
  const int64_t k = a.shape().back();
  int64_t rows = 1;
  Shape shape;
  for (int i = 0; i + 1 < a.ndim(); ++i) {
    rows *= a.shape()[i];
    shape.push_back(a.shape()[i]);
  }
  for (int i = 0; i < b.ndim(); ++i) {
    if (i != std::max(b.ndim() - 2, 0)) shape.push_back(b.shape()[i]);
  }
  const Output output("dot", options.out, shape, dtype, a.device());
  const Array result = output.room({&a, &b});
  // (rows, b..., n), and the axes of b in front.
  Shape stacked = leading_shape(columns);
  stacked.insert(0, rows);
  stacked.push_back(columns.shape().back());
  Axes order;
  for (int i = 1; i + 1 < stacked.size(); ++i) order.push_back(i);
  order.push_back(0);
  order.push_back(stacked.size() - 1);
  multiply_matrices("dot",
                    {a.astype(dtype, if_needed).reshape({rows, k}), false},
                    {columns.astype(dtype, if_needed), false},
                    {result.reshape(stacked).transpose(order), false}, 1, 0);
  return output.finish(result);
}

void gemm(const Array& a, const Array& b, const Array& out,
          const GemmOptions& options) {
  const Array* const operands[] = {&a, &b, &out};
  common_device(operands, "gemm");
  check_writable(out, "gemm");
  a.check_dtype(out.dtype(), "gemm (a)");
  b.check_dtype(out.dtype(), "gemm (b)");
  if (a.ndim() < 2 || b.ndim() < 2 || out.ndim() < 2) {
    raise<ShapeError>("gemm: expected at least two axes, got shapes ",
                      a.shape(), ", ", b.shape(), " and ", out.shape());
  }
  const Operand2d left{a, options.transa};
  const Operand2d right{b, options.transb};
  if (left.columns() != right.rows()) {
    raise_mismatch("gemm", a, b,
                   {.transa = options.transa, .transb = options.transb});
  }
  const Shape leading = leading_shape(out);
  const bool fits =
      out.shape()[out.ndim() - 2] == left.rows() &&
      out.shape().back() == right.columns() &&
      broadcast_shapes(leading, leading_shape(a), "gemm") == leading &&
      broadcast_shapes(leading, leading_shape(b), "gemm") == leading;
  if (!fits) {
    raise<ShapeError>("gemm: expected an output for shapes ", a.shape(),
                      options.transa ? " (transposed)" : "", " and ", b.shape(),
                      options.transb ? " (transposed)" : "", ", got shape ",
                      out.shape());
  }
  const Array& bias = options.bias;
  if (bias.defined()) {
    const Array* const both[] = {&bias, &out};
    common_device(both, "gemm");
    bias.check_dtype(out.dtype(), "gemm (bias)");
    if (bias.shape() != Shape{right.columns()}) {
      raise<ShapeError>("gemm: expected a bias of shape ",
                        Shape{right.columns()}, ", got ", bias.shape());
    }
    if (options.beta != 0) {
      raise<ValueError>("gemm: expected beta 0 with a bias, got ",
                        options.beta);
    }
  }
  const Array& row_sums = options.row_sums;
  if (!row_sums.defined()) {
    multiply_matrices("gemm", left, right, {out, false}, options.alpha,
                      options.beta, bias);
    return;
  }
  const Array* const both[] = {&row_sums, &out};
  common_device(both, "gemm");
  check_writable(row_sums, "gemm (row_sums)");
  row_sums.check_dtype(out.dtype(), "gemm (row_sums)");
  if (a.ndim() != 2 || row_sums.shape() != Shape{left.rows()}) {
    raise<ShapeError>("gemm: expected row_sums of shape ", Shape{left.rows()},
                      " for two axes, got ", row_sums.shape(), " for shape ",
                      a.shape());
  }
  const auto sum_rows = [&] {
    return sum(a, {.axis = options.transa ? 0 : 1, .dtype = out.dtype()});
  };
  const bool is_apart =
      row_sums.is_contiguous() && !may_share_memory(a, out) &&
      std::ranges::none_of(std::array{&a, &b, &out}, [&](const Array* x) {
        return may_share_memory(row_sums, *x);
      });
  const Array sums = is_apart ? Array() : sum_rows();
  const bool is_done =
      multiply_matrices("gemm", left, right, {out, false}, options.alpha,
                        options.beta, bias, is_apart ? row_sums : Array());
  if (!is_done) row_sums.assign(is_apart ? sum_rows() : sums);
}

}  // namespace catena::array

namespace catena {

Array Array::dot(const Array& b, const OutOption& options) const {
  return array::dot(*this, b, options);
}

}  // namespace catena
