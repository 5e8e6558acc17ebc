#include "catena/functions/loss/crf1d.h"

#include <algorithm>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/indexing/along_axis.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/select_item.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/logsumexp.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

constexpr int kLabelAxis = 1;

// Checked even if the type check is off: there is no step to begin at.
void check_places(std::string_view operation, std::span<const Variable> xs) {
  if (!xs.empty()) return;
  raise<InvalidType>(operation, ": expected costs xs of at least one step");
}

void check_types(std::string_view operation, const Variable& cost,
                 std::span<const Variable> xs) {
  check_places(operation, xs);
  if (!config().type_check) return;
  for (size_t i = 0; i < xs.size(); ++i) {
    const VariableRef inputs[] = {cost, xs[i], xs[i == 0 ? 0 : i - 1]};
    TypeCheck in(operation, inputs);
    const auto [c, x, before] = in.names<3>({"cost", "x", "previous x"});
    in.expect_floating(c);
    in.expect(c.ndim() == type_check::Term(2), x.dtype() == c.dtype(),
              x.ndim() == type_check::Term(2));
    in.expect(c.shape(0) == c.shape(1), x.shape(1) == c.shape(0),
              x.shape(0) <= before.shape(0));
  }
}

std::vector<Array> check_labels(std::span<const Variable> xs,
                                std::span<const Array> ys) {
  if (ys.size() != xs.size()) {
    raise<InvalidType>("crf1d: expected labels ys for each of the ", xs.size(),
                       " steps in xs, got ", ys.size());
  }
  std::vector<Array> checked;
  for (size_t i = 0; i < xs.size(); ++i) {
    const Shape expected{xs[i].shape()[0]};
    if (!is_integral(ys[i].dtype()) || ys[i].shape() != expected) {
      raise<InvalidType>("crf1d: expected ys[", i, "] to be integers of shape ",
                         expected, ", got ", ys[i].dtype(), " ", ys[i].shape());
    }
    checked.push_back(
        CheckedLabels(ys[i], xs[i].shape()[kLabelAxis], std::nullopt, "crf1d")
            .array());
  }
  return checked;
}

// A value per sequence that is carried from step to step. Sequences that end
// are dropped; they are the last of the remaining ones.
class Carried {
 public:
  explicit Carried(const Variable& first) : current_(first) {}

  // The values of the first `count` sequences, the only ones that continue.
  Variable& keep(int64_t count) {
    if (current_.shape()[0] > count) {
      ended_.push_back(get_item(current_, {Slice(count, std::nullopt)}));
      current_ = get_item(current_, {Slice(0, count)});
    }
    return current_;
  }

  // The values of all sequences, in order.
  Variable all() const {
    if (ended_.empty()) return current_;
    std::vector<Variable> parts = {current_};
    parts.insert(parts.end(), ended_.rbegin(), ended_.rend());
    return concat(parts, {.axis = 0});
  }

 private:
  Variable current_;
  std::vector<Variable> ended_;
};

// log of the sum over all label sequences of exp(their costs).
Variable log_partition(const Variable& cost, std::span<const Variable> xs) {
  Carried alpha(xs[0]);
  for (const Variable& x : xs.subspan(1)) {
    Variable& a = alpha.keep(x.shape()[0]);
    const Variable steps =
        reshape(a, {x.shape()[0], x.shape()[kLabelAxis], 1}) + cost;
    a = logsumexp(steps, kLabelAxis) + x;
  }
  return logsumexp(alpha.all(), kLabelAxis);
}

Variable cost_of(const Variable& cost, std::span<const Variable> xs,
                 std::span<const Array> ys) {
  const Variable pairs = reshape(cost, {-1});
  const int64_t labels = cost.shape()[0];
  Carried score(select_item(xs[0], ys[0]));
  for (size_t i = 1; i < xs.size(); ++i) {
    const int64_t count = xs[i].shape()[0];
    const Array before =
        ys[i - 1][{Slice(0, count)}].astype(Dtype::kInt64) * labels;
    Variable& s = score.keep(count);
    s = s + select_item(xs[i], ys[i]) + get_item(pairs, before + ys[i]);
  }
  return score.all();
}

}  // namespace

Variable crf1d(const Variable& cost, std::span<const Variable> xs,
               std::span<const Array> ys, const Crf1dOptions& options) {
  const bool mean = is_mean(options.reduce, "crf1d");
  check_types("crf1d", cost, xs);
  const std::vector<Array> labels = check_labels(xs, ys);
  const Variable losses = log_partition(cost, xs) - cost_of(cost, xs, labels);
  return mean ? average(losses) : losses;
}

Variable crf1d(const Variable& cost, std::span<const Variable> xs,
               std::span<const Variable> ys, const Crf1dOptions& options) {
  std::vector<Array> labels;
  for (const Variable& y : ys) labels.push_back(y.data());
  return crf1d(cost, xs, labels, options);
}

std::pair<Variable, std::vector<Array>> argmax_crf1d(
    const Variable& cost, std::span<const Variable> xs) {
  check_types("argmax_crf1d", cost, xs);
  // best: for each sequence and label, the cost of the best labels so far that
  // end with it; origins: for each step, the previous label.
  std::vector<Array> ended;
  std::vector<Array> origins = {Array()};
  Array best = xs[0].data();
  for (const Variable& x : xs.subspan(1)) {
    const int64_t count = x.shape()[0];
    if (best.shape()[0] > count) {
      ended.push_back(best[{Slice(count, std::nullopt)}]);
      best = best[{Slice(0, count)}];
    }
    const Array steps = best.expand_dims(2) + cost.data();
    origins.push_back(array::argmax(steps, kLabelAxis));
    best = array::max(steps, {.axis = kLabelAxis}) + x.data();
  }
  std::vector<Array> parts = {best};
  parts.insert(parts.end(), ended.rbegin(), ended.rend());
  const Array all = array::concatenate(parts);
  const Array last = array::argmax(all, kLabelAxis);

  std::vector<Array> labels(xs.size());
  Array current = last[{Slice(0, xs.back().shape()[0])}];
  for (size_t i = xs.size(); i-- > 0;) {
    labels[i] = current.astype(Dtype::kInt32);
    if (i == 0) break;
    const Array before =
        array::take_along_axis(origins[i], current.expand_dims(1), 1)
            .reshape({-1});
    // Sequences whose last step is the previous one start here.
    const int64_t count = xs[i].shape()[0];
    current = array::concatenate(
        {before, last[{Slice(count, xs[i - 1].shape()[0])}]});
  }
  return {as_variable(array::max(all, {.axis = kLabelAxis})), labels};
}

}  // namespace catena::functions
