#include "catena/functions/array/get_item.h"

#include "absl/container/inlined_vector.h"
#include "catena/array/creation.h"
#include "catena/array/take.h"
#include "catena/autograd/function_node.h"

namespace catena::functions {
namespace {

using Selection = absl::InlinedVector<Index, 4>;

// What both kinds of selection share. Gather selects, Scatter is its gradient:
// zeros of x's shape with gy added where it was selected. Each is the other's
// derivative.
template <class Selector>
class Scatter;

template <class Selector>
class Gather final : public FunctionNode {
 public:
  explicit Gather(const Selector& selector) : selector_(selector) {}

  std::string_view label() const override { return "get_item"; }

  Arrays forward(const Arrays& in) override {
    return {selector_.select(in[0])};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    return {catena::apply<Scatter<Selector>>({gy[0]}, selector_,
                                             inputs()[0]->shape())};
  }

 private:
  Selector selector_;
};

template <class Selector>
class Scatter final : public FunctionNode {
 public:
  Scatter(const Selector& selector, const Shape& shape)
      : selector_(selector), shape_(shape) {}

  std::string_view label() const override { return "get_item_grad"; }

  Arrays forward(const Arrays& in) override {
    Array gx = array::zeros(shape_, in[0].dtype(), in[0].device());
    selector_.add(gx, in[0]);
    return {gx};
  }

  Variables backward(const Indexes&, const Variables& ggx) override {
    return {catena::apply<Gather<Selector>>({ggx[0]}, selector_)};
  }

 private:
  Selector selector_;
  Shape shape_;
};

struct BasicSelector {
  Selection indexes;

  Array select(const Array& x) const { return array::basic_index(x, indexes); }
  // No element is selected twice.
  void add(const Array& gx, const Array& gy) const {
    array::basic_index(gx, indexes).assign(gy);
  }
};

struct ArraySelector {
  Array indices;
  int64_t axis;

  Array select(const Array& x) const { return array::take(x, indices, axis); }
  void add(const Array& gx, const Array& gy) const {
    array::scatter_add(gx, indices, axis, gy);
  }
};

}  // namespace

Variable get_item(const Variable& x, std::span<const Index> indexes) {
  const BasicSelector selector{Selection(indexes.begin(), indexes.end())};
  return apply<Gather<BasicSelector>>({x}, selector);
}

Variable get_item(const Variable& x, std::initializer_list<Index> indexes) {
  return get_item(x, std::span(indexes.begin(), indexes.size()));
}

Variable get_item(const Variable& x, const Array& indices, int64_t axis) {
  return apply<Gather<ArraySelector>>({x}, ArraySelector{indices, axis});
}

}  // namespace catena::functions
