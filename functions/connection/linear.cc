#include "catena/functions/connection/linear.h"

#include <memory>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/linalg/matmul.h"
#include "catena/autograd/config.h"
#include "catena/autograd/deferred_gradient.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/internal/batch_rows.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/internal/gradient_sum.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {
namespace {

// Weight gradients gy^T x of a weight that is used many times, as in a
// recurrent network. Several are merged into one product, since each alone
// would read and write the whole sum for just a few rows.
class DeferredProducts final : public DeferredGradient {
 public:
  // The number of rows that make a pass over the sum worthwhile.
  static constexpr int64_t kEnough = 128;

  void add(const Array& gy, const Array& x, const Array& sum) {
    gys_.push_back(gy);
    xs_.push_back(x);
    rows_ += x.shape()[0];
    if (rows_ >= kEnough) add_to(sum);
  }

  void add_to(const Array& sum) override {
    if (gys_.empty()) return;
    array::gemm(array::concatenate(gys_, 0), array::concatenate(xs_, 0), sum,
                {.transa = true, .beta = 1});
    gys_.clear();
    xs_.clear();
    rows_ = 0;
  }

 private:
  std::vector<Array> gys_;
  std::vector<Array> xs_;
  int64_t rows_ = 0;
};

// linear() on 2-d inputs.
class Linear final : public FunctionNode {
 public:
  std::string_view label() const override { return "linear"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Linear>();
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, W, b] = in.names<3>({"x", "W", "b"}, /*required=*/2);
    in.expect_floating(x);
    in.expect(W.dtype() == x.dtype(), x.ndim() == type_check::Term(2),
              W.ndim() == type_check::Term(2));
    in.expect(x.shape(1) == W.shape(1));
    if (in.inputs().size() < 3) return;
    in.expect(b.dtype() == x.dtype(), b.ndim() == type_check::Term(1));
    in.expect(b.shape(0) == W.shape(0));
  }

  Arrays forward(const Arrays& in) override {
    retain_factors();
    const Array& x = in[0];
    const Array& W = in[1];
    const Array y =
        array::empty({x.shape()[0], W.shape()[0]}, x.dtype(), x.device());
    array::gemm(x, W, y,
                {.transb = true, .bias = in.size() == 3 ? in[2] : Array()});
    return {y};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    const Variable& gy = gys[0];
    Variables gradients;
    Array gb;
    for (const int i : wanted) {
      switch (i) {
        case 0:
          gradients.push_back(matmul(gy, retained_input(1)));
          break;
        case 1: {
          // Where b's gradient is summed as W's is computed, unless recorded.
          const bool with_b = wanted.back() == 2 && !config().enable_backprop;
          gradients.push_back(gradient_of_W(gy, with_b ? &gb : nullptr));
          break;
        }
        case 2:
          gradients.push_back(gb.defined() ? as_variable(gb)
                                           : sum(gy, {.axis = 0}));
          break;
      }
    }
    return gradients;
  }

 private:
  // Accumulated into the sum of others if there is one; then returns undefined.
  // May also set *gb, unless null, to the gradient of b.
  Variable gradient_of_W(const Variable& gy, Array* gb) const {
    const Array sum = gradient_sum(*inputs()[1]);
    if (!sum.defined() && gb == nullptr) {
      return matmul(gy, retained_input(0), {.transa = true});
    }
    const Array x = retained_input_array(0);
    if (!sum.defined()) {
      const Array gW =
          array::empty({gy.shape()[1], x.shape()[1]}, x.dtype(), x.device());
      multiply(gy.data(), x, gW, 0, gb);
      return as_variable(gW);
    }
    if (x.shape()[0] < DeferredProducts::kEnough) {
      if (auto* waiting = deferred_gradient(*inputs()[1]); waiting != nullptr) {
        if (*waiting == nullptr) {
          *waiting = std::make_unique<DeferredProducts>();
        }
        if (auto* products = dynamic_cast<DeferredProducts*>(waiting->get())) {
          products->add(gy.data(), x, sum);
          return {};
        }
      }
    }
    multiply(gy.data(), x, sum, 1, gb);
    return {};
  }

  // gW = gy^T x + beta gW and, unless null, *gb = the sum of gy's rows.
  static void multiply(const Array& gy, const Array& x, const Array& gW,
                       double beta, Array* gb) {
    array::GemmOptions options = {.transa = true, .beta = beta};
    if (gb != nullptr) {
      *gb = array::empty({gy.shape()[1]}, gy.dtype(), gy.device());
      options.row_sums = *gb;
    }
    array::gemm(gy, x, gW, options);
  }
};

}  // namespace

Variable linear(const Variable& x, const Variable& W, const Variable& b,
                const LinearOptions& options) {
  const int64_t batch_axes = options.n_batch_axes;
  const Variable rows = batch_rows("linear", x, batch_axes);
  Variable y =
      b.defined() ? apply<Linear>({rows, W, b}) : apply<Linear>({rows, W});
  if (batch_axes == 1) return y;
  Shape shape(x.shape().begin(), static_cast<size_t>(batch_axes));
  shape.push_back(W.shape()[0]);
  return reshape(y, shape);
}

}  // namespace catena::functions
