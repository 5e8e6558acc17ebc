#include "catena/functions/activation/tree_lstm.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/functions/activation/internal/cell_node.h"
#include "catena/functions/activation/internal/lstm_ops.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class TreeLstm final : public CellNode {
 public:
  explicit TreeLstm(int children)
      : CellNode(gates(children), GateOrder::kBlocked), children_(children) {}

  // The gradient has 4 streams per child plus 9.
  static constexpr int kMaxChildren = (kMaxCellStreams - 9) / 4;

  std::string_view label() const override { return "tree_lstm"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::TreeLstm>({{"children", children_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    in.expect(in.size() >= type_check::Term(2));
    in.expect_same_dtype();
    const auto c = in[0];
    const auto x = in[children_];
    in.expect(c.ndim() >= type_check::Term(2), x.ndim() == c.ndim());
    for (int k = 1; k < children_; ++k) in.expect(in[k].shape() == c.shape());
    in.expect(x.shape(0) == c.shape(0));
    in.expect(x.shape(1) == c.shape(1) * (3 + children_));
    for (int axis = 2; axis < x.array().ndim(); ++axis) {
      in.expect(x.shape(axis) == c.shape(axis));
    }
  }

 private:
  static std::vector<int> gates(int children) {
    std::vector<int> gates(children, 1);
    gates.push_back(3 + children);
    return gates;
  }

  void run_forward(CellCall& call) const override {
    call.run(TreeLstmOp{children_});
  }
  void run_gradient(CellCall& call) const override {
    call.run(TreeLstmGradient{children_});
  }
  void trace_gradient(TracedCell& cell) const override {
    TreeLstmGradient{children_}(cell);
  }

  int children_;
};

// The same composed of functions, for more children than the kernels support.
std::array<Variable, 2> composed(std::span<const Variable> inputs) {
  const int children = static_cast<int>(inputs.size()) - 1;
  const auto refs = refs_of(inputs);
  TypeCheck check("tree_lstm", refs);
  TreeLstm(children).check_type_forward(check);
  const Shape& shape = inputs[0].shape();
  const int64_t units = inputs[0].size() / std::max<int64_t>(1, shape[0]);
  TracedCell cell;
  for (const Variable& c : inputs.first(children)) {
    cell.add_input(reshape(c, {shape[0], units}));
  }
  cell.add_gates(reshape(inputs[children], {shape[0], (3 + children) * units}),
                 3 + children, GateOrder::kBlocked);
  TreeLstmOp{children}(cell);
  return {reshape(cell.output(0), shape), reshape(cell.output(1), shape)};
}

}  // namespace

std::array<Variable, 2> tree_lstm(std::span<const Variable> cs,
                                  const Variable& x) {
  std::vector<Variable> inputs(cs.begin(), cs.end());
  inputs.push_back(x);
  if (static_cast<int>(cs.size()) > TreeLstm::kMaxChildren) {
    return composed(inputs);
  }
  Variables y = apply_all<TreeLstm>(std::span<const Variable>(inputs),
                                    static_cast<int>(cs.size()));
  return {std::move(y[0]), std::move(y[1])};
}

std::array<Variable, 2> tree_lstm(std::initializer_list<Variable> cs,
                                  const Variable& x) {
  return tree_lstm(std::span(cs.begin(), cs.size()), x);
}

}  // namespace catena::functions
