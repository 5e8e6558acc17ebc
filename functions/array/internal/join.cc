#include "catena/functions/array/internal/join.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/axes.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class Join final : public FunctionNode {
 public:
  Join(std::string_view label, int64_t axis, JoinAxis kind)
      : label_(label), axis_(axis), kind_(kind) {}

  std::string_view label() const override { return label_; }
  FunctionDescription description() const override {
    return {kind_ == JoinAxis::kNew ? FunctionKind::of<kinds::Stack>()
                                    : FunctionKind::of<kinds::Concat>(),
            {{"axis", axis_}}};
  }

  void check_type_forward(TypeCheck& in) const override {
    in.expect(in.size() > type_check::Term(0));
    int joined = -1;
    if (kind_ == JoinAxis::kNew) {
      expect_new_axis(in, in[0], axis_);
    } else {
      expect_axis(in, in[0], axis_);
      joined = normalize_axis(axis_, in[0].array().ndim(), label_);
    }
    const int ndim = in[0].array().ndim();
    for (int i = 1; i < static_cast<int>(in.inputs().size()); ++i) {
      in.expect(in[0].dtype() == in[i].dtype(), in[0].ndim() == in[i].ndim());
      for (int d = 0; d < ndim; ++d) {
        if (d != joined) in.expect(in[0].shape(d) == in[i].shape(d));
      }
    }
  }

  Arrays forward(const Arrays& in) override {
    return {kind_ == JoinAxis::kNew ? array::stack(in, axis_)
                                    : array::concatenate(in, axis_)};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    if (kind_ == JoinAxis::kNew) return cut_apart(label_, gy[0], axis_);
    const int axis = normalize_axis(axis_, gy[0].ndim(), label_);
    std::vector<int64_t> extents;
    extents.reserve(inputs().size());
    for (const auto& x : inputs()) extents.push_back(x->shape()[axis]);
    return cut(label_, gy[0], axis, std::move(extents));
  }

 private:
  std::string_view label_;
  int64_t axis_;
  JoinAxis kind_;
};

class Cut final : public FunctionNode {
 public:
  // Without extents: into slices.
  Cut(std::string_view label, int64_t axis, std::vector<int64_t> extents)
      : label_(label), axis_(axis), extents_(std::move(extents)) {}

  std::string_view label() const override { return label_; }
  FunctionDescription description() const override {
    if (extents_.empty()) {
      return FunctionDescription::of<kinds::Separate>({{"axis", axis_}});
    }
    return FunctionDescription::of<kinds::SplitAxis>(
        {{"axis", axis_}, {"extents", extents_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    expect_axis(in, x, axis_);
  }

  Arrays forward(const Arrays& in) override {
    axis_ = normalize_axis(axis_, in[0].ndim(), label_);
    Arrays parts;
    if (extents_.empty()) {
      const int64_t extent = in[0].shape()[static_cast<int>(axis_)];
      for (int64_t i = 0; i < extent; ++i) {
        parts.push_back(part(in[0], Index(i)));
      }
      return parts;
    }
    int64_t begin = 0;
    for (const int64_t extent : extents_) {
      parts.push_back(part(in[0], Index(Slice(begin, begin + extent))));
      begin += extent;
    }
    return parts;
  }

  Variables backward(const Indexes&, const Variables& gys) override {
    const VariableNode& x = *inputs()[0];
    Variables parts = gys;
    for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
      if (parts[i].defined()) continue;
      Shape shape = x.shape();
      if (extents_.empty()) {
        shape.erase(static_cast<int>(axis_));
      } else {
        shape[static_cast<int>(axis_)] = extents_[i];
      }
      parts[i] = as_variable(array::zeros(shape, x.dtype(), x.device()));
    }
    return {join(label_, parts, axis_,
                 extents_.empty() ? JoinAxis::kNew : JoinAxis::kExisting)};
  }

 private:
  Array part(const Array& x, const Index& index) const {
    absl::InlinedVector<Index, 4> indexes(static_cast<size_t>(axis_), Slice());
    indexes.push_back(index);
    return array::basic_index(x, indexes);
  }

  std::string_view label_;
  int64_t axis_;
  std::vector<int64_t> extents_;
};

}  // namespace

Variable join(std::string_view label, std::span<const Variable> xs,
              int64_t axis, JoinAxis kind) {
  return apply<Join>(xs, label, axis, kind);
}

Variables cut(std::string_view label, const Variable& x, int64_t axis,
              std::vector<int64_t> extents) {
  return apply_all<Cut>(std::span(&x, 1), label, axis, std::move(extents));
}

Variables cut_apart(std::string_view label, const Variable& x, int64_t axis) {
  return cut(label, x, axis, {});
}

}  // namespace catena::functions
