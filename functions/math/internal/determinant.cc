#include "catena/functions/math/internal/determinant.h"

#include "catena/array/linalg/solve.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/swapaxes.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/internal/inverse.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

class Determinant final : public FunctionNode {
 public:
  Determinant(std::string_view label, int ndim) : label_(label), ndim_(ndim) {}

  std::string_view label() const override { return label_; }
  FunctionDescription description() const override {
    return ndim_ == 2 ? FunctionDescription::of<kinds::Det>()
                      : FunctionDescription::of<kinds::BatchDet>();
  }

  void check_type_forward(TypeCheck& in) const override {
    expect_matrices(in, ndim_);
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    retain_output(0);
    return {array::linalg::det(in[0])};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    Shape shape = gy[0].shape();
    shape.push_back(1);
    shape.push_back(1);
    const Variable factor = reshape(gy[0] * retained_output(0), shape);
    return {factor *
            swapaxes(inverse(label_, retained_input(0), ndim_), -1, -2)};
  }

 private:
  std::string_view label_;
  int ndim_;
};

}  // namespace

Variable determinant(std::string_view label, const Variable& a, int ndim) {
  return apply<Determinant>({a}, label, ndim);
}

}  // namespace catena::functions
