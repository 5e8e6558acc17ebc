#include "catena/functions/loss/internal/indexed_dot.h"

#include <array>
#include <memory>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/engines/blocks/block_call.h"
#include "catena/functions/kinds.h"
#include "catena/functions/loss/internal/index_groups.h"
#include "catena/functions/loss/internal/indexed_dot_ops.h"
#include "catena/functions/loss/internal/labels.h"

namespace catena::functions {
namespace {

// The indices, which all derivatives share, and the result's shape.
struct Selection {
  CheckedLabels indices;  // (N, K)
  int64_t extent;         // of W's first axis

  const Shape& shape() const { return indices.array().shape(); }
  int64_t rows() const { return shape()[0]; }
  int64_t count() const { return shape()[1]; }
  IndexedArgs args(int64_t width) const {
    return {indices.rows(), count(), width};
  }
};

Array dots(const Selection& s, const Array& x, const Array& W) {
  const int64_t width = x.shape()[1];
  const Array y = array::empty(s.shape(), x.dtype(), x.device());
  run_blocks(
      IndexedDotOp{s.args(width), x.raw_data(), W.raw_data(), y.raw_data()},
      x.dtype(), x.device(), s.rows(), s.count() * width);
  return y;
}

Array sums(const Selection& s, const Array& g, const Array& W) {
  const int64_t width = W.shape()[1];
  const Array gx = array::empty({s.rows(), width}, g.dtype(), g.device());
  run_blocks(
      IndexedSumOp{s.args(width), g.raw_data(), W.raw_data(), gx.raw_data()},
      g.dtype(), g.device(), s.rows(), s.count() * width);
  return gx;
}

Array scattered(const Selection& s, const Array& g, const Array& x) {
  const int64_t width = x.shape()[1];
  const IndexGroups groups = group_indices(s.indices.array(), s.extent);
  const Array gW = array::empty({s.extent, width}, g.dtype(), g.device());
  const int64_t blocks = IndexedScatterOp::blocks(s.extent);
  if (blocks == 0) return gW;
  const int64_t work = (s.indices.array().size() + s.extent) * width / blocks;
  run_blocks(IndexedScatterOp{groups.starts.data<int32_t>(),
                              groups.positions.data<int32_t>(),
                              static_cast<int32_t>(s.count()), width, s.extent,
                              g.raw_data(), x.raw_data(), gW.raw_data()},
             g.dtype(), g.device(), blocks, work);
  return gW;
}

// The function computes the derivative of T(g, x, W) (indexed_dot_ops.h) with
// respect to the one of g, x and W that is not an input.
enum Factor { kG, kX, kW };

class IndexedProduct final : public FunctionNode {
 public:
  IndexedProduct(Factor result, std::shared_ptr<const Selection> selection)
      : result_(result), selection_(std::move(selection)) {}

  std::string_view label() const override { return "indexed_dot"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::IndexedDot>(
        {{"indices", selection_->indices.array()}, {"factor", int{result_}}});
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    const Array first = in[0].contiguous();
    const Array second = in[1].contiguous();
    switch (result_) {
      case kG:
        return {dots(*selection_, first, second)};
      case kX:
        return {sums(*selection_, first, second)};
      case kW:
        return {scattered(*selection_, first, second)};
    }
    __builtin_unreachable();
  }

  Variables backward(const Indexes& wanted, const Variables& gy) override {
    Variables gradients;
    for (const int i : wanted) {
      // The gradient takes the result's role; the other input keeps its own.
      std::array<Variable, 3> factors;
      factors[result_] = gy[0];
      factors[input(1 - i)] = retained_input(1 - i);
      const Factor result = input(i);
      gradients.push_back(catena::apply<IndexedProduct>(
          {factors[first_input(result)], factors[second_input(result)]}, result,
          selection_));
    }
    return gradients;
  }

 private:
  static Factor first_input(Factor result) { return result == kG ? kX : kG; }
  static Factor second_input(Factor result) { return result == kW ? kX : kW; }
  Factor input(int i) const {
    return i == 0 ? first_input(result_) : second_input(result_);
  }

  Factor result_;
  std::shared_ptr<const Selection> selection_;
};

void check_types(const Variable& x, const Variable& W,
                 std::string_view operation) {
  if (!config().type_check) return;
  const VariableRef inputs[] = {x, W};
  TypeCheck in(operation, inputs);
  const auto [row, vector] = in.names<2>({"x", "W"});
  in.expect_floating(row);
  in.expect(vector.dtype() == row.dtype(), row.ndim() == type_check::Term(2),
            vector.ndim() == type_check::Term(2));
  in.expect(row.shape(1) == vector.shape(1));
}

}  // namespace

Variable indexed_dot(const Variable& x, const Variable& W, const Array& indices,
                     std::string_view operation) {
  check_types(x, W, operation);
  if (indices.ndim() != 2 || indices.shape()[0] != x.shape()[0] ||
      !is_integral(indices.dtype()) || indices.device() != x.device()) {
    raise<InvalidType>(operation, ": expected integers of shape (",
                       x.shape()[0], ", n) on ", x.device(),
                       " for the rows of W, got ", indices.dtype(), " ",
                       indices.shape(), " on ", indices.device());
  }
  const int64_t extent = W.shape()[0];
  return apply<IndexedProduct>(
      {x, W}, kG,
      std::make_shared<const Selection>(Selection{
          CheckedLabels(indices, extent, /*ignored=*/-1, operation), extent}));
}

}  // namespace catena::functions
