#include "catena/functions/loss/linear_cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/activation/tanh.h"
#include "catena/functions/array/cast.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/engines/rows/row_call.h"
#include "catena/functions/internal/gradient_sum.h"
#include "catena/functions/kinds.h"
#include "catena/functions/loss/internal/cross_entropy_rows.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/reduce_option.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/identity.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "linear_cross_entropy";

// Neighbouring rows whose scores are in memory together.
struct Part {
  int64_t first;
  int64_t count;

  Array of(const Array& rows) const {
    return rows[{Slice(first, first + count)}];
  }
};

// More rows at once reuse W more often, which is read and packed, and whose
// gradient is read and written, once for each part.
std::vector<Part> parts_of(const Array& x, const Array& W) {
  constexpr int64_t kBytes = 32 << 20;
  constexpr int64_t kMinRows = 64;
  const int64_t rows = x.shape()[0];
  const int64_t row_bytes =
      std::max<int64_t>(1, W.shape()[0] * item_size(W.dtype()));
  const int64_t at_once = std::max(kMinRows, kBytes / row_bytes);
  std::vector<Part> parts;
  for (int64_t first = 0; first < rows; first += at_once) {
    parts.push_back({first, std::min(at_once, rows - first)});
  }
  return parts;
}

// x is (N, U).
class LinearCrossEntropy final : public FunctionNode {
 public:
  // The options are checked.
  explicit LinearCrossEntropy(const LinearCrossEntropyOptions& options)
      : is_mean_(is_mean(options.reduce, kName)),
        ignore_label_(options.ignore_label),
        smoothing_(options.label_smoothing),
        soft_cap_(options.soft_cap) {}

  std::string_view label() const override { return kName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::LinearCrossEntropy>(
        {{"ignore_label", ignore_label_},
         {"reduce", is_mean_ ? "mean" : "no"},
         {"label_smoothing", smoothing_},
         {"soft_cap", soft_cap_}});
  }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x, W, t, b] = in.names<4>({"x", "W", "t", "b"}, 3);
    in.expect_floating(x);
    in.expect_integral(t);
    in.expect(W.dtype() == x.dtype(), x.ndim() == type_check::Term(2),
              W.ndim() == type_check::Term(2), t.ndim() == type_check::Term(1));
    in.expect(x.shape(1) == W.shape(1), x.shape(0) == t.shape(0));
    if (in.inputs().size() < 4) return;
    in.expect(b.dtype() == x.dtype(), b.ndim() == type_check::Term(1));
    in.expect(b.shape(0) == W.shape(0));
  }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    const Array& x = in[0];
    const Array& W = in[1];
    const Array& t = in[2];
    if (in.size() == 4) {
      retain_input(3);
      b_ = in[3];
    }
    check_memory(x, W, t);
    CheckedLabels labels(t, W.shape()[0], ignore_label_, kName);
    const DeviceNumber scale =
        is_mean_ ? labels.reciprocal_count() : DeviceNumber();
    rows_ = CrossEntropyRows(std::move(labels), scale, Array(), smoothing_);
    const Array losses =
        array::empty(t.shape(), computed_dtype(x.dtype()), x.device());
    Array memory;
    for (const Part& part : parts_of(x, W)) {
      rows_.compute_losses(scores_of(part, x, W, memory), 1, part.first,
                           losses);
    }
    const Array result = is_mean_ ? array::sum(losses) : losses;
    // Autocast leaves losses in float32.
    const Dtype dtype = config().autocast.is_on() ? losses.dtype() : x.dtype();
    return {result.astype(dtype, Array::CopyPolicy::kIfNeeded)};
  }

  Variables backward(const Indexes& wanted, const Variables& gys) override {
    if (config().enable_backprop) return recorded_gradients(wanted, gys[0]);
    const Array& x = retained_input_array(0);
    const Array& W = retained_input_array(1);
    const auto is_wanted = [&](int input) {
      return std::ranges::find(wanted, input) != wanted.end();
    };
    const Array gx = is_wanted(0) ? array::empty_like(x) : Array();
    const Array gW_so_far = is_wanted(1) ? gradient_sum(*inputs()[1]) : Array();
    const Array gW = gW_so_far.defined() ? gW_so_far
                     : is_wanted(1)      ? array::empty_like(W)
                                         : Array();
    const Array gb = is_wanted(3) ? array::zeros_like(b_) : Array();
    const Array gy = gys[0]
                         .data()
                         .astype(x.dtype(), Array::CopyPolicy::kIfNeeded)
                         .contiguous();

    Array memory;
    Array gradient_memory;
    double beta = gW_so_far.defined() ? 1 : 0;
    const std::vector<Part> parts = parts_of(x, W);
    if (parts.empty() && gW.defined() && beta == 0) gW.fill(0);
    for (const Part& part : parts) {
      const Array scores = scores_of(part, x, W, memory);
      const Array gscores =
          soft_cap_ > 0 ? scores_in(gradient_memory, part, x, W) : scores;
      rows_.compute_gradient(scores, 1, part.first, gy, gscores);
      if (soft_cap_ > 0) {
        // scores are c tanh(s / c), whose slope is 1 - tanh(s / c)^2
        scores /= soft_cap_;
        scores *= scores;
        scores *= gscores;
        gscores -= scores;
      }
      if (gx.defined()) array::gemm(gscores, W, part.of(gx));
      if (gb.defined()) gb += array::sum(gscores, {.axis = 0});
      if (gW.defined()) {
        array::gemm(gscores, part.of(x), gW, {.transa = true, .beta = beta});
        beta = 1;
      }
    }
    Variables gradients;
    for (const int i : wanted) {
      const Array& gradient = i == 0 ? gx : i == 1 ? gW : gb;
      const bool is_added = i == 1 && gW_so_far.defined();
      gradients.push_back(i == 2 || is_added ? Variable()
                                             : as_variable(gradient));
    }
    return gradients;
  }

 private:
  // Kernels rely on this even if the type check is off.
  static void check_memory(const Array& x, const Array& W, const Array& t) {
    if (x.ndim() != 2 || W.ndim() != 2 || t.size() != x.shape()[0]) {
      raise<ShapeError>(kName,
                        ": expected rows x, W (V, U) and a label for each "
                        "row, got x ",
                        x.shape(), ", W ", W.shape(), " and t ", t.shape());
    }
  }

  // Scores of the part's rows, not yet computed, in memory that is made for the
  // first part.
  static Array scores_in(Array& memory, const Part& part, const Array& x,
                         const Array& W) {
    if (!memory.defined()) {
      memory = array::empty({part.count, W.shape()[0]}, x.dtype(), x.device());
    }
    return Part{0, part.count}.of(memory);
  }

  Array scores_of(const Part& part, const Array& x, const Array& W,
                  Array& memory) const {
    const Array scores = scores_in(memory, part, x, W);
    array::gemm(part.of(x), W, scores, {.transb = true, .bias = b_});
    if (soft_cap_ > 0) {
      scores /= soft_cap_;
      array::tanh(scores, {.out = scores});
      scores *= soft_cap_;
    }
    return scores;
  }

  // The gradients composed of functions.
  Variables recorded_gradients(const Indexes& wanted,
                               const Variable& gy) const {
    // Variables of their own, even if two inputs are the same.
    std::vector<Variable> xs(4);
    for (const int i : {0, 1}) xs[i] = identity(retained_input(i));
    if (b_.defined()) xs[3] = identity(retained_input(3));
    Variable scores = matmul(xs[0], xs[1], {.transb = true});
    if (b_.defined()) scores = scores + xs[3];
    if (soft_cap_ > 0) scores = tanh(scores / soft_cap_) * soft_cap_;
    const Variable y =
        cast(softmax_cross_entropy(scores, rows_.labels().array(),
                                   {.reduce = is_mean_ ? "mean" : "no",
                                    .label_smoothing = smoothing_}),
             gy.dtype());
    std::vector<Variable> inputs;
    for (const int i : wanted) {
      if (i != 2) inputs.push_back(xs[i]);
    }
    const std::vector<Variable> gradients = grad(
        {y}, inputs, {.grad_outputs = {gy}, .enable_double_backprop = true});
    Variables results;
    auto next = gradients.begin();
    for (const int i : wanted) {
      results.push_back(i == 2 ? Variable() : *next++);
    }
    return results;
  }

  bool is_mean_;
  int64_t ignore_label_;
  double smoothing_;
  double soft_cap_;
  Array b_;
  CrossEntropyRows rows_;
};

}  // namespace

Variable linear_cross_entropy(const Variable& x, const Variable& W,
                              const Variable& t,
                              const LinearCrossEntropyOptions& options) {
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    raise<ValueError>(kName, ": expected label_smoothing from 0 to 1, got ",
                      options.label_smoothing);
  }
  if (!(options.soft_cap >= 0 && std::isfinite(options.soft_cap))) {
    raise<ValueError>(kName, ": expected a finite soft_cap of at least 0, got ",
                      options.soft_cap);
  }
  const int batch_axes = t.ndim();
  if (batch_axes < 1 || x.ndim() != batch_axes + 1 ||
      !std::equal(t.shape().begin(), t.shape().end(), x.shape().begin())) {
    raise<InvalidType>(kName,
                       ": expected x (B..., U) and labels t (B...), got x ",
                       x.shape(), " and t ", t.shape());
  }
  const Variable rows = reshape(x, {t.size(), x.shape()[batch_axes]});
  const Variable labels = reshape(t, {t.size()});
  Variable y =
      options.b.defined()
          ? apply<LinearCrossEntropy>({rows, W, labels, options.b}, options)
          : apply<LinearCrossEntropy>({rows, W, labels}, options);
  return y.ndim() == 0 ? y : reshape(y, t.shape());
}

Variable linear_cross_entropy(const Variable& x, const Variable& W,
                              const Array& t,
                              const LinearCrossEntropyOptions& options) {
  return linear_cross_entropy(x, W, as_variable(t), options);
}

}  // namespace catena::functions
