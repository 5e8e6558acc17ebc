#include "catena/functions/math/matmul.h"

#include "catena/array/core/error.h"
#include "catena/array/linalg/matmul.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/sum_to.h"

namespace catena::functions {
namespace {

// The batch axes before the matrix axes.
Shape batch_shape(const Shape& shape) {
  Shape batch;
  for (int axis = 0; axis < shape.ndim() - 2; ++axis) {
    batch.push_back(shape[axis]);
  }
  return batch;
}

class Matmul final : public FunctionNode {
 public:
  explicit Matmul(const MatmulOptions& options) : options_(options) {}

  std::string_view label() const override { return "matmul"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Matmul>({{"transa", options_.transa},
                                                   {"transb", options_.transb},
                                                   {"alpha", options_.alpha}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [a, b] = in.names<2>({"a", "b"});
    in.expect_same_dtype();
    in.expect(a.ndim() >= type_check::Term(1), b.ndim() >= type_check::Term(1));
    const bool a_is_vector = a.array().ndim() == 1;
    const bool b_is_vector = b.array().ndim() == 1;
    const int inner_of_a = options_.transa && !a_is_vector ? -2 : -1;
    const int inner_of_b = options_.transb || b_is_vector ? -1 : -2;
    in.expect(a.shape(inner_of_a) == b.shape(inner_of_b));
    try {
      broadcast_shapes(batch_shape(a.array().shape()),
                       batch_shape(b.array().shape()), label());
    } catch (const ShapeError& error) {
      in.fail("axes before the last two that broadcast", error.what());
    }
  }

  Arrays forward(const Arrays& in) override {
    retain_factors();
    return {array::matmul(in[0], in[1],
                          {.transa = options_.transa,
                           .transb = options_.transb,
                           .alpha = options_.alpha})};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    const Variable gy = as_matrices(gys[0]);
    Variables gradients;
    for (const int i : wanted) {
      const Variable other = reshape(retained_input(1 - i), matrices(1 - i));
      const Variable gradient =
          i == 0 ? gradient_of_a(other, gy) : gradient_of_b(other, gy);
      gradients.push_back(
          reshape(sum_to(gradient, matrices(i)), inputs()[i]->shape()));
    }
    return gradients;
  }

 private:
  bool is_vector(int i) const { return inputs()[i]->shape().ndim() == 1; }

  // The shape of an input, a vector's as that of a row (a) or column (b).
  Shape matrices(int i) const {
    const Shape& shape = inputs()[i]->shape();
    if (!is_vector(i)) return shape;
    return i == 0 ? Shape{1, shape[0]} : Shape{shape[0], 1};
  }

  // gy with the axes of rows and columns that vectors lack.
  Variable as_matrices(const Variable& gy) const {
    Shape shape = gy.shape();
    if (is_vector(1)) shape.push_back(1);
    if (is_vector(0)) shape.insert(shape.ndim() - 1, 1);
    return reshape(gy, shape);
  }

  // A vector is never transposed.
  bool transa() const { return options_.transa && !is_vector(0); }
  bool transb() const { return options_.transb && !is_vector(1); }

  Variable gradient_of_a(const Variable& b, const Variable& gy) const {
    if (transa()) {
      return matmul(
          b, gy, {.transa = transb(), .transb = true, .alpha = options_.alpha});
    }
    return matmul(gy, b, {.transb = !transb(), .alpha = options_.alpha});
  }

  Variable gradient_of_b(const Variable& a, const Variable& gy) const {
    if (transb()) {
      return matmul(
          gy, a, {.transa = true, .transb = transa(), .alpha = options_.alpha});
    }
    return matmul(a, gy, {.transa = !transa(), .alpha = options_.alpha});
  }

  MatmulOptions options_;
};

}  // namespace

Variable matmul(const Variable& a, const Variable& b,
                const MatmulOptions& options) {
  return apply<Matmul>({a, b}, options);
}

}  // namespace catena::functions
