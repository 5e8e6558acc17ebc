#include "catena/functions/activation/slstm.h"

#include <utility>

#include "catena/functions/activation/internal/cell_node.h"
#include "catena/functions/activation/internal/lstm_ops.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class Slstm final : public CellNode {
 public:
  Slstm() : CellNode({1, 1, 4, 4}, GateOrder::kInterleaved) {}

  std::string_view label() const override { return "slstm"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Slstm>();
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [c_prev1, c_prev2, x1, x2] =
        in.names<4>({"c_prev1", "c_prev2", "x1", "x2"});
    in.expect_floating(c_prev1);
    in.expect_same_dtype();
    in.expect(c_prev1.ndim() >= type_check::Term(2),
              c_prev2.shape() == c_prev1.shape(), x1.ndim() == c_prev1.ndim(),
              x2.shape() == x1.shape());
    in.expect(x1.shape(0) == c_prev1.shape(0));
    in.expect(x1.shape(1) == c_prev1.shape(1) * 4);
    for (int axis = 2; axis < x1.array().ndim(); ++axis) {
      in.expect(x1.shape(axis) == c_prev1.shape(axis));
    }
  }

 private:
  void run_forward(CellCall& call) const override { call.run(SlstmOp()); }
  void run_gradient(CellCall& call) const override {
    call.run(SlstmGradient());
  }
  void trace_gradient(TracedCell& cell) const override {
    SlstmGradient()(cell);
  }
};

}  // namespace

std::array<Variable, 2> slstm(const Variable& c_prev1, const Variable& c_prev2,
                              const Variable& x1, const Variable& x2) {
  Variables y = apply_all<Slstm>({c_prev1, c_prev2, x1, x2});
  return {std::move(y[0]), std::move(y[1])};
}

}  // namespace catena::functions
