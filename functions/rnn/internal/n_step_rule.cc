#include "catena/functions/rnn/internal/n_step_rule.h"

#include "catena/functions/activation/internal/traced_cell.h"
#include "catena/functions/engines/cells/cell_call.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/rnn/internal/n_step_ops.h"

namespace catena::functions {
namespace {

constexpr GateOrder kBlocked = GateOrder::kBlocked;

class LstmRule final : public NStepRule {
 public:
  LstmRule() {
    gates = kept_gates = 4;
    has_cells = true;
  }

  void forward(const LayerForward& a, int64_t first,
               int64_t count) const override {
    CellCall(count, a.h.shape()[1])
        .input(a.c)
        .inputs(a.kept, 4, kBlocked, first)
        .output(a.c)
        .output(a.h)
        .output(a.y, first)
        .output(a.cells, first)
        .outputs(a.kept, 4, kBlocked, first)
        .run(LstmStep());
  }

  void backward(const LayerBackward& a, int64_t first,
                int64_t count) const override {
    CellCall(count, a.gh.shape()[1])
        .input(*a.cells, first)
        .inputs(*a.kept, 4, kBlocked, first)
        .input(a.gc)
        .input(a.gh)
        .input(a.gy, first)
        .output(a.gc)
        .outputs(a.g_from_x, 4, kBlocked, first)
        .run(LstmStepGradient());
  }

  States record(const States& before, const Variable& from_x,
                const Variable& from_h) const override {
    TracedCell cell;
    cell.add_input(before.c);
    cell.add_gates(from_x + from_h, 4, kBlocked);
    LstmStep()(cell);
    return {.h = cell.output(1), .c = cell.output(0)};
  }
};

class GruRule final : public NStepRule {
 public:
  GruRule() {
    gates = 3;
    kept_gates = 4;
    has_separate_from_h = true;
    has_shortcut = true;
  }

  void forward(const LayerForward& a, int64_t first,
               int64_t count) const override {
    CellCall(count, a.h.shape()[1])
        .input(a.h)
        .inputs(a.kept, 4, kBlocked, first)
        .inputs(a.from_h, 3, kBlocked)
        .output(a.h)
        .output(a.y, first)
        .outputs(a.kept, 4, kBlocked, first)
        .run(GruStep());
  }

  void backward(const LayerBackward& a, int64_t first,
                int64_t count) const override {
    CellCall(count, a.gh.shape()[1])
        .input(*a.h_before, first)
        .inputs(*a.kept, 4, kBlocked, first)
        .input(a.gh)
        .input(a.gy, first)
        .output(a.gh)
        .outputs(a.g_from_x, 3, kBlocked, first)
        .outputs(a.g_from_h, 3, kBlocked, first)
        .run(GruStepGradient());
  }

  States record(const States& before, const Variable& from_x,
                const Variable& from_h) const override {
    TracedCell cell;
    cell.add_input(before.h);
    cell.add_gates(from_x, 3, kBlocked);
    cell.add_input({});
    cell.add_gates(from_h, 3, kBlocked);
    GruStep()(cell);
    return {.h = cell.output(0), .c = {}};
  }
};

template <class Step, class StepGradient>
class PlainRule final : public NStepRule {
 public:
  PlainRule() { gates = kept_gates = 1; }

  void forward(const LayerForward& a, int64_t first,
               int64_t count) const override {
    CellCall(count, a.h.shape()[1])
        .input(a.kept, first)
        .output(a.h)
        .output(a.y, first)
        .run(Step());
  }

  void backward(const LayerBackward& a, int64_t first,
                int64_t count) const override {
    CellCall(count, a.gh.shape()[1])
        .input(*a.y, first)
        .input(a.gh)
        .input(a.gy, first)
        .output(a.g_from_x, first)
        .run(StepGradient());
  }

  States record(const States&, const Variable& from_x,
                const Variable& from_h) const override {
    TracedCell cell;
    cell.add_input(from_x + from_h);
    Step()(cell);
    return {.h = cell.output(0), .c = {}};
  }
};

}  // namespace

const NStepRule& NStepRule::of(NStepKind kind) {
  static const LstmRule lstm;
  static const GruRule gru;
  static const PlainRule<TanhStep, TanhStepGradient> tanh;
  static const PlainRule<ReluStep, ReluStepGradient> relu;
  switch (kind) {
    case NStepKind::kLstm:
      return lstm;
    case NStepKind::kGru:
      return gru;
    case NStepKind::kTanh:
      return tanh;
    case NStepKind::kRelu:
      return relu;
  }
  __builtin_unreachable();
}

}  // namespace catena::functions
