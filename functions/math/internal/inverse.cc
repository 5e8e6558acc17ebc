#include "catena/functions/math/internal/inverse.h"

#include "catena/array/linalg/solve.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

class Inverse final : public FunctionNode {
 public:
  Inverse(std::string_view label, int ndim) : label_(label), ndim_(ndim) {}

  std::string_view label() const override { return label_; }
  FunctionDescription description() const override {
    return ndim_ == 2 ? FunctionDescription::of<kinds::Inv>()
                      : FunctionDescription::of<kinds::BatchInv>();
  }

  void check_type_forward(TypeCheck& in) const override {
    expect_matrices(in, ndim_);
  }

  Arrays forward(const Arrays& in) override {
    retain_output(0);
    return {array::linalg::inv(in[0])};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    const Variable y = retained_output(0);
    return {matmul(matmul(-y, gy[0], {.transa = true}), y, {.transb = true})};
  }

 private:
  std::string_view label_;
  int ndim_;
};

}  // namespace

void expect_matrices(TypeCheck& in, int ndim) {
  const auto [a] = in.names<1>({"a"});
  in.expect_floating(a);
  if (a.array().itemsize() < 4) {
    in.fail("a.dtype is float32 or float64", to_string(a.array().dtype()));
  }
  in.expect(a.ndim() == ndim, a.shape(-1) == a.shape(-2));
}

Variable inverse(std::string_view label, const Variable& a, int ndim) {
  return apply<Inverse>({a}, label, ndim);
}

}  // namespace catena::functions
