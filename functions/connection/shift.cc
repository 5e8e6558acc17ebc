#include "catena/functions/connection/shift.h"

#include <algorithm>
#include <cstdlib>

#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/function_node.h"

namespace catena::functions {
namespace {

using type_check::Term;

// Where an axis of y that is moved by `offset` overlaps with x's: y's part, and
// x's.
struct Overlap {
  Overlap(int64_t size, int64_t offset) {
    const int64_t length = std::max<int64_t>(0, size - std::abs(offset));
    const int64_t begin = std::clamp<int64_t>(-offset, 0, size - length);
    y = Slice(begin, begin + length);
    const int64_t source = std::clamp<int64_t>(offset, 0, size - length);
    x = Slice(source, source + length);
  }

  Slice y;
  Slice x;
};

class Shift final : public FunctionNode {
 public:
  // The gradient goes back by negative steps.
  Shift(const Shape& ksize, const Shape& step) : ksize_(ksize), step_(step) {}

  std::string_view label() const override { return "shift"; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    in.expect(x.ndim() == Term(4));
    in.expect(x.shape(1) >= Term(size_of(ksize_)));
  }

  Arrays forward(const Arrays& in) override {
    const Array& x = in[0];
    const Array y = array::zeros(x.shape(), x.dtype(), x.device());
    const int64_t groups = size_of(ksize_);
    const int64_t group_size = x.shape()[1] / groups;
    const int64_t middle = (groups - 1) / 2;
    for (int64_t group = 0; group < groups; ++group) {
      int64_t element = group;
      if (group == middle) element = groups - 1;
      if (group == groups - 1) element = middle;
      const Overlap rows(x.shape()[2], offset(0, element / ksize_[1]));
      const Overlap columns(x.shape()[3], offset(1, element % ksize_[1]));
      const Slice channels(group * group_size, group == groups - 1
                                                   ? x.shape()[1]
                                                   : (group + 1) * group_size);
      y[{Slice(), channels, rows.y, columns.y}].assign(
          x[{Slice(), channels, rows.x, columns.x}]);
    }
    return {y};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    return {catena::apply<Shift>({gy[0]}, ksize_, Shape{-step_[0], -step_[1]})};
  }

 private:
  int64_t offset(int axis, int64_t element) const {
    return (ksize_[axis] / 2 - element) * step_[axis];
  }

  Shape ksize_;
  Shape step_;
};

}  // namespace

Variable shift(const Variable& x, const ShiftOptions& options) {
  return apply<Shift>({x}, options.ksize.on_axes(2, 1, "shift", "ksize"),
                      options.dilate.on_axes(2, 1, "shift", "dilate"));
}

}  // namespace catena::functions
