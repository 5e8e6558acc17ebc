#include "catena/functions/array/reshape.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class Reshape final : public FunctionNode {
 public:
  explicit Reshape(const Shape& shape) : shape_(shape) {}

  std::string_view label() const override { return "reshape"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Reshape>({{"shape", shape_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    const bool infers = shape_.contains(-1);
    Shape given = shape_;
    for (int64_t& extent : given) extent = extent == -1 ? 1 : extent;
    const int64_t known = checked_size(given, 1, label());
    const int64_t size = x.array().size();
    if (infers ? known == 0 || size % known != 0 : size != known) {
      in.fail(str("prod(x.shape) == prod(", shape_, ")"),
              str(size, " != ", known));
    }
  }

  Arrays forward(const Arrays& in) override { return {in[0].reshape(shape_)}; }

  Variables backward(const Indexes&, const Variables& gy) override {
    return {reshape(gy[0], inputs()[0]->shape())};
  }

 private:
  Shape shape_;
};

}  // namespace

Variable reshape(const Variable& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (std::ranges::count(shape, -1) > 1 ||
      std::ranges::any_of(shape, [](int64_t extent) { return extent < -1; })) {
    raise<ValueError>(
        "reshape: expected extents of at least 0 and at most one "
        "-1, got ",
        shape);
  }
  return apply<Reshape>({x}, shape);
}

}  // namespace catena::functions
