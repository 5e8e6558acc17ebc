#include "catena/functions/noise/simplified_dropconnect.h"

#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/engines/elementwise/elementwise_node.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/noise/internal/noise_ops.h"

namespace catena::functions {
namespace {

constexpr std::string_view kFunction = "simplified_dropconnect";

int64_t row_size(const Variable& x) {
  int64_t size = 1;
  for (int d = 1; d < x.ndim(); ++d) size *= x.shape()[d];
  return size;
}

// Checks the inputs and returns the shape of the mask.
Shape check_types(const Variable& x, const Variable& W, const Variable& b,
                  const SimplifiedDropconnectOptions& options) {
  const VariableRef all[] = {x, W, b};
  const std::string_view names[] = {"x", "W", "b"};
  const size_t count = b.defined() ? 3 : 2;
  TypeCheck in(kFunction, std::span(all).first(count));
  in.set_names(std::span(names).first(count));
  in.expect_same_dtype();
  in.expect(in[0].ndim() >= type_check::Term(2),
            in[1].ndim() == type_check::Term(2));
  if (row_size(x) != W.shape()[1]) {
    in.fail("prod(x.shape[1:]) == W.shape[1]",
            str(row_size(x), " != ", W.shape()[1]));
  }
  if (b.defined()) {
    in.expect(in[2].ndim() == type_check::Term(1));
    in.expect(in[2].shape(0) == in[1].shape(0));
  }
  Shape shape = W.shape();
  if (options.use_batchwise_mask) shape.insert(0, x.shape()[0]);
  const Array& mask = options.mask;
  if (!mask.defined()) return shape;
  if (mask.shape() != shape ||
      (mask.dtype() != Dtype::kBool && mask.dtype() != x.dtype()) ||
      mask.device() != x.device()) {
    in.fail(
        str("mask of shape ", shape, ", bool or of x's dtype"),
        str("mask ", mask.dtype(), " ", mask.shape(), " on ", mask.device()));
  }
  return shape;
}

// The weights that a mask keeps, scaled: (out, in), or (N, out, in) with one
// mask for each row.
Variable kept_weights(const Variable& W, const Array& mask, double scale,
                      bool is_drawn) {
  return elementwise<KeptWeights>(
      {.is_drawn = is_drawn}, W,
      as_variable(array::multiply(mask.astype(W.dtype()), scale)));
}

// y[n] = scale (mask[n] W) x[n] with one row's weights at a time, since all
// weights together would not fit into the caches.
class BatchwiseDropconnect final : public FunctionNode {
 public:
  BatchwiseDropconnect(const Array& mask, double scale, bool is_drawn)
      : mask_(mask), scale_(scale), is_drawn_(is_drawn) {}

  std::string_view label() const override { return kFunction; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::SimplifiedDropconnect>(
        {{"mask", mask_}, {"scale", scale_}});
  }
  bool repeats() const override { return !is_drawn_; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    const Array& x = in[0];
    const Array& W = in[1];
    Array y = array::empty({x.shape()[0], W.shape()[0]}, x.dtype(), x.device());
    for (int64_t n = 0; n < x.shape()[0]; ++n) {
      array::gemm(row(x, n), kept(W, n), row(y, n),
                  {.transb = true, .alpha = scale_});
    }
    return {std::move(y)};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    const Variable& gy = gys[0];
    const bool records = config().enable_backprop;
    Variables gradients;
    for (const int i : wanted) {
      if (i == 0) {
        gradients.push_back(records ? recorded_gx(gy)
                                    : as_variable(gx(gy.data())));
      } else {
        gradients.push_back(records ? recorded_gW(gy)
                                    : as_variable(gW(gy.data())));
      }
    }
    return gradients;
  }

 private:
  static Array row(const Array& a, int64_t n) { return a[{Slice(n, n + 1)}]; }
  Array kept(const Array& weights, int64_t n) const {
    return array::where(mask_[n], weights, 0);
  }

  Array gx(const Array& gy) const {
    const Array& x = retained_input_array(0);
    const Array& W = retained_input_array(1);
    Array result = array::empty(x.shape(), x.dtype(), x.device());
    for (int64_t n = 0; n < gy.shape()[0]; ++n) {
      array::gemm(row(gy, n), kept(W, n), row(result, n), {.alpha = scale_});
    }
    return result;
  }
  Array gW(const Array& gy) const {
    const Array& x = retained_input_array(0);
    const Array scaled = array::multiply(gy, scale_);
    const Shape shape = {gy.shape()[1], x.shape()[1]};
    const Dtype sum_dtype = gy.itemsize() == 2 ? Dtype::kFloat32 : gy.dtype();
    Array result = array::zeros(shape, sum_dtype, gy.device());
    for (int64_t n = 0; n < gy.shape()[0]; ++n) {
      const Array column = row(scaled, n).transpose();
      array::multiply_add(kept(column, n), x[n], result, {.out = result});
    }
    return result.astype(gy.dtype(), Array::CopyPolicy::kIfNeeded);
  }

  Variable recorded_gx(const Variable& gy) const {
    const Variable columns = reshape(gy, {gy.shape()[0], gy.shape()[1], 1});
    const Variable kept =
        kept_weights(retained_input(1), mask_, scale_, is_drawn_);
    return reshape(matmul(kept, columns, {.transa = true}),
                   inputs()[0]->shape());
  }
  Variable recorded_gW(const Variable& gy) const {
    const Variable x = retained_input(0);
    const Variable columns = reshape(gy, {gy.shape()[0], gy.shape()[1], 1});
    const Variable rows = reshape(x, {x.shape()[0], 1, x.shape()[1]});
    return sum(kept_weights(columns * rows, mask_, scale_, is_drawn_),
               {.axis = 0});
  }

  Array mask_;
  double scale_;
  bool is_drawn_;
};

}  // namespace

Variable simplified_dropconnect(const Variable& x, const Variable& W,
                                const Variable& b,
                                const SimplifiedDropconnectOptions& options) {
  const double ratio = options.ratio;
  if (!(ratio >= 0 && ratio < 1)) {
    raise<ValueError>(kFunction, ": expected ratio in [0, 1), got ", ratio);
  }
  if (!options.train) {
    if (options.return_mask != nullptr) *options.return_mask = Array();
    return linear(x, W, b);
  }
  const Shape mask_shape = check_types(x, W, b, options);
  Array mask = options.mask;
  const bool is_drawn = !mask.defined();
  if (is_drawn) {
    mask =
        array::random::generator(x.device()).bernoulli(1 - ratio, mask_shape);
  }
  if (options.return_mask != nullptr) *options.return_mask = mask;
  const Array is_kept =
      mask.dtype() == Dtype::kBool ? mask : array::not_equal(mask, 0);
  const double scale = 1 / (1 - ratio);
  if (!options.use_batchwise_mask) {
    return linear(x, kept_weights(W, is_kept, scale, is_drawn), b);
  }
  const Variable rows = reshape(x, {x.shape()[0], row_size(x)});
  const Variable y =
      apply<BatchwiseDropconnect>({rows, W}, is_kept, scale, is_drawn);
  return b.defined() ? y + b : y;
}

}  // namespace catena::functions
