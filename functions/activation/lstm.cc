#include "catena/functions/activation/lstm.h"

#include <utility>

#include "catena/functions/activation/internal/cell_node.h"
#include "catena/functions/activation/internal/lstm_ops.h"
#include "catena/functions/kinds.h"

namespace catena::functions {
namespace {

class Lstm final : public CellNode {
 public:
  Lstm() : CellNode({1, 4}, GateOrder::kInterleaved) {}

  std::string_view label() const override { return "lstm"; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::Lstm>();
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [c_prev, x] = in.names<2>({"c_prev", "x"});
    in.expect_floating(c_prev);
    in.expect(x.dtype() == c_prev.dtype(), c_prev.ndim() >= type_check::Term(2),
              x.ndim() == c_prev.ndim());
    in.expect(x.shape(0) <= c_prev.shape(0));
    in.expect(x.shape(1) == c_prev.shape(1) * 4);
    for (int axis = 2; axis < x.array().ndim(); ++axis) {
      in.expect(x.shape(axis) == c_prev.shape(axis));
    }
  }

 private:
  void run_forward(CellCall& call) const override { call.run(LstmOp()); }
  void run_gradient(CellCall& call) const override { call.run(LstmGradient()); }
  void trace_gradient(TracedCell& cell) const override { LstmGradient()(cell); }
};

}  // namespace

std::array<Variable, 2> lstm(const Variable& c_prev, const Variable& x) {
  Variables y = apply_all<Lstm>({c_prev, x});
  return {std::move(y[0]), std::move(y[1])};
}

}  // namespace catena::functions
