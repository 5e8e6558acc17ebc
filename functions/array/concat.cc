#include "catena/functions/array/concat.h"

#include "absl/container/inlined_vector.h"
#include "catena/array/concatenate.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/axes.h"

namespace catena::functions {
namespace {

class Concat final : public FunctionNode {
 public:
  explicit Concat(int64_t axis) : axis_(axis) {}

  std::string_view label() const override { return "concat"; }

  void check_type_forward(TypeCheck& in) const override {
    in.expect(in.size() > type_check::Term(0));
    expect_axis(in, in[0], axis_);
    const int ndim = in[0].array().ndim();
    const int axis = normalize_axis(axis_, ndim, label());
    for (int i = 1; i < static_cast<int>(in.inputs().size()); ++i) {
      in.expect(in[0].dtype() == in[i].dtype(), in[0].ndim() == in[i].ndim());
      for (int d = 0; d < ndim; ++d) {
        if (d != axis) in.expect(in[0].shape(d) == in[i].shape(d));
      }
    }
  }

  Arrays forward(const Arrays& in) override {
    return {array::concatenate(in, axis_)};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    const int axis = normalize_axis(axis_, gy[0].ndim(), label());
    Variables gradients;
    int64_t begin = 0;
    size_t next = 0;
    for (int i = 0; i < static_cast<int>(inputs().size()); ++i) {
      const int64_t end = begin + inputs()[i]->shape()[axis];
      if (next < wanted.size() && wanted[next] == i) {
        gradients.push_back(part(gy[0], axis, begin, end));
        ++next;
      }
      begin = end;
    }
    return gradients;
  }

 private:
  static Variable part(const Variable& gy, int axis, int64_t begin,
                       int64_t end) {
    absl::InlinedVector<Index, 4> indexes(axis, Slice());
    indexes.push_back(Slice(begin, end));
    return get_item(gy, indexes);
  }

  int64_t axis_;
};

}  // namespace

Variable concat(std::span<const Variable> xs, const ConcatOptions& options) {
  return apply<Concat>(xs, options.axis);
}

Variable concat(std::initializer_list<Variable> xs,
                const ConcatOptions& options) {
  return concat(std::span(xs.begin(), xs.size()), options);
}

}  // namespace catena::functions
