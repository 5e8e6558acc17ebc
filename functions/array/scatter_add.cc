#include "catena/functions/array/scatter_add.h"

#include <vector>

#include "catena/autograd/function_node.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/internal/index_text.h"
#include "catena/functions/internal/broadcasting.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class ScatterAdd final : public FunctionNode {
 public:
  explicit ScatterAdd(std::span<const AdvancedIndex> slices)
      : slices_(slices.begin(), slices.end()) {}

  std::string_view label() const override { return "scatter_add"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::ScatterAdd>(
        {{"slices", text_of(slices_)}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [a, b] = in.names<2>({"a", "b"});
    in.expect(a.dtype() == b.dtype());
  }

  Arrays forward(const Arrays& in) override {
    const Array y = in[0].copy();
    array::add_at(y, slices_, in[1]);
    return {y};
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients;
    for (const int i : wanted) {
      gradients.push_back(
          i == 0 ? gy[0]
                 : summed_to(
                       get_item(gy[0], std::span<const AdvancedIndex>(slices_)),
                       inputs()[1]->shape()));
    }
    return gradients;
  }

 private:
  std::vector<AdvancedIndex> slices_;
};

}  // namespace

Variable scatter_add(const Variable& a, std::span<const AdvancedIndex> slices,
                     const Variable& b) {
  return apply<ScatterAdd>({a, b}, slices);
}

}  // namespace catena::functions
