#include "catena/functions/array/transpose.h"

#include "catena/array/core/error.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class Transpose final : public FunctionNode {
 public:
  explicit Transpose(const Axes& axes) : axes_(axes) {}

  std::string_view label() const override { return "transpose"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Transpose>({{"axes", axes_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    if (axes_.empty()) return;
    const int ndim = x.array().ndim();
    Axes seen;
    for (int64_t axis : axes_) {
      if (axis < 0) axis += ndim;
      if (axis < 0 || axis >= ndim || seen.contains(axis)) break;
      seen.push_back(axis);
    }
    if (seen.size() != ndim || axes_.size() != ndim) {
      in.fail(str("axes is a permutation of ", ndim, " axes"),
              to_string(axes_));
    }
  }

  Arrays forward(const Arrays& in) override { return {in[0].transpose(axes_)}; }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (axes_.empty()) return {transpose(gy[0])};
    Axes inverse = axes_;
    for (int i = 0; i < axes_.size(); ++i) {
      const int64_t axis = axes_[i] < 0 ? axes_[i] + axes_.size() : axes_[i];
      inverse[static_cast<int>(axis)] = i;
    }
    return {transpose(gy[0], inverse)};
  }

 private:
  Axes axes_;
};

}  // namespace

Variable transpose(const Variable& x, const Axes& axes) {
  return apply<Transpose>({x}, axes);
}

}  // namespace catena::functions
