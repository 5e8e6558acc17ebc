#include "catena/functions/math/batch_matmul.h"

#include "catena/autograd/type_check.h"
#include "catena/functions/array/reshape.h"

namespace catena::functions {
namespace {

// Views column vectors as matrices.
Variable as_matrices(const Variable& x) {
  return x.ndim() == 3 ? x : reshape(x, {x.shape()[0], x.shape()[1], 1});
}

}  // namespace

Variable batch_matmul(const Variable& a, const Variable& b,
                      const MatmulOptions& options) {
  static constexpr std::string_view kNames[] = {"a", "b"};
  const VariableRef inputs[] = {a, b};
  TypeCheck in("batch_matmul", inputs);
  in.set_names(kNames);
  in.expect_same_dtype();
  for (const int i : {0, 1}) in.expect(in[i].ndim() >= 2, in[i].ndim() <= 3);
  in.expect(in[0].shape(0) == in[1].shape(0));
  return matmul(as_matrices(a), as_matrices(b), options);
}

}  // namespace catena::functions
