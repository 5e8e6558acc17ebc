#include "catena/functions/rnn/internal/n_step_stack.h"

#include <numeric>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/autograd/autocast.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/split_axis.h"
#include "catena/functions/rnn/internal/n_step_network.h"

namespace catena::functions {
namespace {

// Checks the arguments of one call, naming them in error messages.
class ArgumentCheck {
 public:
  explicit ArgumentCheck(const NStepArguments& arguments) : a_(arguments) {}

  // Those before xs, then xs and those after them.
  template <class Steps>
  void run(const Steps& xs) const {
    check_numbers();
    check_states();
    const int64_t in_size = check_steps(xs);
    check_counts("ws", a_.ws);
    check_counts("bs", a_.bs);
    check_weights(in_size);
  }

 private:
  void check_numbers() const {
    if (a_.n_layers < 1) {
      raise<ValueError>(a_.name, ": expected n_layers of at least 1, got ",
                        a_.n_layers);
    }
    if (!(a_.dropout_ratio >= 0 && a_.dropout_ratio < 1)) {
      raise<ValueError>(a_.name, ": expected dropout_ratio in [0, 1), got ",
                        a_.dropout_ratio);
    }
  }

  void check_states() const {
    if (!a_.hx.defined()) fail("hx to be an array, got none");
    if (!is_floating(a_.hx.dtype())) {
      fail("hx of a floating dtype, got ", a_.hx.dtype());
    }
    if (a_.hx.ndim() != 3 || a_.hx.shape()[0] != layers()) {
      fail("hx of shape (", layers(), ", B, N), got ", a_.hx.shape());
    }
    if (a_.kind != NStepKind::kLstm) return;
    check_one(a_.cx, "cx");
    if (a_.cx.shape() != a_.hx.shape()) {
      fail("cx of hx's shape ", a_.hx.shape(), ", got ", a_.cx.shape());
    }
  }

  // Returns the number of columns.
  int64_t check_steps(const std::vector<Variable>& xs) const {
    if (xs.empty()) raise<ValueError>(a_.name, ": expected nonempty xs");
    int64_t max = a_.hx.shape()[1];
    for (size_t t = 0; t < xs.size(); ++t) {
      const Variable& x = xs[t];
      check_one(x, "xs[", t, "]");
      if (x.ndim() != 2 || x.shape()[1] != xs[0].shape().back()) {
        fail("xs[", t, "] of shape (B, I) with one I for all, got ", x.shape(),
             " after ", xs[0].shape());
      }
      if (x.shape()[0] > max) {
        fail("xs[", t, "] of at most ", max, " rows, as many as ",
             t == 0 ? "hx has in its second axis" : "the step before it",
             ", got ", x.shape(), "; sort the sequences by descending length");
      }
      max = x.shape()[0];
    }
    return xs[0].shape()[1];
  }

  int64_t check_steps(const Variable& xs) const {
    check_one(xs, "xs");
    if (xs.ndim() != 3) {
      fail("xs of shape (T, B, I), or a list of steps, got ", xs.shape());
    }
    if (xs.shape()[0] == 0) {
      raise<ValueError>(a_.name, ": expected at least one step, got xs of ",
                        "shape ", xs.shape());
    }
    if (xs.shape()[1] > a_.hx.shape()[1]) {
      fail("steps of at most ", a_.hx.shape()[1],
           " rows, as many as hx has in its second axis, got xs of shape ",
           xs.shape());
    }
    return xs.shape()[2];
  }

  int64_t check_steps(const NStepRows& xs) const {
    check_one(xs.rows, "xs");
    return xs.rows.shape()[1];
  }

  int64_t layers() const { return a_.n_layers * (a_.is_bidirectional ? 2 : 1); }
  int64_t units() const { return a_.hx.shape()[2]; }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    raise<InvalidType>(a_.name, ": expected ", parts...);
  }

  // One variable: defined, of hx's dtype.
  template <class... Name>
  void check_one(const Variable& x, const Name&... name) const {
    if (!x.defined() || !x.data().defined()) {
      fail(str(name...), " to be an array, got none");
    }
    if (x.dtype() != a_.hx.dtype()) {
      fail(str(name...), " of hx's dtype ", a_.hx.dtype(), ", got ", x.dtype());
    }
    if (x.device() != a_.hx.device()) {
      raise<DeviceError>(a_.name, ": expected ", str(name...), " on ",
                         a_.hx.device(), " like hx, got ", x.device());
    }
  }

  void check_counts(std::string_view name,
                    const std::vector<std::vector<Variable>>& list) const {
    const auto count = static_cast<size_t>(2 * gate_count(a_.kind));
    if (static_cast<int64_t>(list.size()) != layers()) {
      raise<ValueError>(a_.name, ": expected ", name, " for ", layers(),
                        " layers, got ", list.size());
    }
    for (size_t l = 0; l < list.size(); ++l) {
      if (list[l].size() != count) {
        raise<ValueError>(a_.name, ": expected ", count, " arrays in ", name,
                          "[", l, "], got ", list[l].size());
      }
    }
  }

  void check_weights(int64_t in_size) const {
    const int64_t directions = a_.is_bidirectional ? 2 : 1;
    const int gates = gate_count(a_.kind);
    for (int64_t l = 0; l < layers(); ++l) {
      const int64_t below = l < directions ? in_size : units() * directions;
      for (int j = 0; j < 2 * gates; ++j) {
        const Variable& w = a_.ws[l][j];
        check_one(w, "ws[", l, "][", j, "]");
        const Shape expected{units(), j < gates ? below : units()};
        if (w.shape() != expected) {
          fail("ws[", l, "][", j, "] of shape ", expected, ", got ", w.shape());
        }
        const Variable& b = a_.bs[l][j];
        check_one(b, "bs[", l, "][", j, "]");
        if (b.shape() != Shape{units()}) {
          fail("bs[", l, "][", j, "] of shape ", Shape{units()}, ", got ",
               b.shape());
        }
      }
    }
  }

  const NStepArguments& a_;
};

Variable below_one_another(std::span<const Variable> parts) {
  return parts.size() == 1 ? parts[0] : concat(parts, {.axis = 0});
}

// Runs the layers on checked arguments.
NStepStackResult<Variable> run_layers(const NStepArguments& a, NStepRows xs) {
  const NStepNetwork network{.kind = a.kind,
                             .batch_sizes = std::move(xs.batch_sizes),
                             .n_layers = a.n_layers,
                             .is_bidirectional = a.is_bidirectional,
                             .dropout_ratio = a.dropout_ratio};
  std::vector<NStepWeights> weights;
  for (size_t k = 0; k < a.ws.size(); ++k) {
    weights.push_back({a.ws[k], a.bs[k]});
  }
  const Variable none;
  NStepLayerResult result = n_step_network(
      network,
      {xs.rows, a.hx, a.kind == NStepKind::kLstm ? a.cx : none, weights});
  return {std::move(result.hy), std::move(result.cy), std::move(result.y)};
}

NStepStackResult<std::vector<Variable>> run_stack(
    const NStepArguments& a, const std::vector<Variable>& xs) {
  ArgumentCheck(a).run(xs);
  NStepRows all{.rows = below_one_another(xs), .batch_sizes = {}};
  for (const Variable& x : xs) all.batch_sizes.push_back(x.shape()[0]);
  std::vector<int64_t> ends(xs.size());
  std::partial_sum(all.batch_sizes.begin(), all.batch_sizes.end(),
                   ends.begin());
  ends.pop_back();
  auto result = run_layers(a, std::move(all));
  const Variables ys = split_axis(result.ys, ends, 0);
  return {std::move(result.hy), std::move(result.cy), {ys.begin(), ys.end()}};
}

NStepStackResult<Variable> run_stack(const NStepArguments& a,
                                     const Variable& xs) {
  ArgumentCheck(a).run(xs);
  const Shape& shape = xs.shape();
  const std::vector<int64_t> batch_sizes(static_cast<size_t>(shape[0]),
                                         shape[1]);
  auto result = run_layers(
      a, {reshape(xs, {shape[0] * shape[1], shape[2]}), batch_sizes});
  result.ys = reshape(result.ys, {shape[0], shape[1], result.ys.shape()[1]});
  return result;
}

NStepStackResult<Variable> run_stack(const NStepArguments& a,
                                     const NStepRows& xs) {
  ArgumentCheck(a).run(xs);
  return run_layers(a, xs);
}

// Arguments as autocast gives them to the node: checks compare dtypes before
// there is one.
Variable narrowed(const Variable& x) {
  return internal::autocast_input(x, AutocastRule::kNarrow);
}
std::vector<Variable> narrowed(const std::vector<Variable>& list) {
  std::vector<Variable> result;
  for (const Variable& x : list) result.push_back(narrowed(x));
  return result;
}
NStepRows narrowed(const NStepRows& xs) {
  return {narrowed(xs.rows), xs.batch_sizes};
}

template <class Steps>
auto run_cast_stack(const NStepArguments& a, const Steps& xs) {
  if (!config().autocast.is_on()) return run_stack(a, xs);
  const auto narrowed_lists = [](const auto& lists) {
    std::vector<std::vector<Variable>> result;
    for (const auto& list : lists) result.push_back(narrowed(list));
    return result;
  };
  const Variable hx = narrowed(a.hx);
  const std::vector<std::vector<Variable>> ws = narrowed_lists(a.ws);
  const std::vector<std::vector<Variable>> bs = narrowed_lists(a.bs);
  return run_stack(NStepArguments{.name = a.name,
                                  .kind = a.kind,
                                  .is_bidirectional = a.is_bidirectional,
                                  .n_layers = a.n_layers,
                                  .dropout_ratio = a.dropout_ratio,
                                  .hx = hx,
                                  .ws = ws,
                                  .bs = bs,
                                  .cx = narrowed(a.cx)},
                   narrowed(xs));
}

}  // namespace

NStepStackResult<std::vector<Variable>> n_step_stack(
    const NStepArguments& arguments, const std::vector<Variable>& xs) {
  return run_cast_stack(arguments, xs);
}

NStepStackResult<Variable> n_step_stack(const NStepArguments& arguments,
                                        const Variable& xs) {
  return run_cast_stack(arguments, xs);
}

NStepStackResult<Variable> n_step_stack(const NStepArguments& arguments,
                                        const NStepRows& xs) {
  return run_cast_stack(arguments, xs);
}

}  // namespace catena::functions
