#include "catena/functions/normalization/decorrelated_batch_normalization.h"

#include <algorithm>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/linalg/decomposition.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"

namespace catena::functions {
namespace {

// Converts (N, C, d...) to (groups, channels per group, N times positions), and
// back, for arrays and variables.
struct Groups {
  Groups(const Shape& x, int64_t groups, std::string_view function) : shape(x) {
    if (x.size() < 2) {
      raise<InvalidType>(function, ": expected x (N, C, ...), got shape ", x);
    }
    if (groups < 1 || x[1] % groups != 0) {
      raise<ValueError>(function, ": expected groups that divide the channels ",
                        "of x ", x, ", got ", groups);
    }
    int64_t positions = 1;
    for (int axis = 2; axis < x.size(); ++axis) positions *= x[axis];
    split = {x[0], groups, x[1] / groups, positions};
  }

  int64_t count() const { return split[0] * split[3]; }
  Shape grouped() const { return {split[1], split[2], count()}; }

  Array from(const Array& x) const {
    return x.reshape(split).transpose({1, 2, 0, 3}).reshape(grouped());
  }
  Array to(const Array& y) const {
    return y.reshape({split[1], split[2], split[0], split[3]})
        .transpose({2, 0, 1, 3})
        .reshape(shape);
  }
  Variable from(const Variable& x) const {
    return reshape(transpose(reshape(x, split), {1, 2, 0, 3}), grouped());
  }
  Variable to(const Variable& y) const {
    return reshape(
        transpose(reshape(y, {split[1], split[2], split[0], split[3]}),
                  {2, 0, 1, 3}),
        shape);
  }

  Shape shape;
  Shape split;
};

constexpr std::string_view kName = "decorrelated_batch_normalization";
constexpr std::string_view kFixedName =
    "fixed_decorrelated_batch_normalization";

Array mean_of_samples(const Array& grouped) {
  return array::mean(grouped, {.axis = 2, .keepdims = true});
}

// The statistics of a batch.
struct Whitening {
  Array mean;        // (groups, D, 1)
  Array roots;       // of the eigenvalues of the covariance, (groups, D)
  Array vectors;     // its eigenvectors, (groups, D, D)
  Array projection;  // its power of -1/2, (groups, D, D)
};

Whitening whitening_of(const Array& x, double eps) {
  const int64_t channels = x.shape()[1];
  Whitening result;
  result.mean = mean_of_samples(x);
  const Array centered = x - result.mean;
  const Array covariance =
      array::matmul(centered, centered, {.transb = true}) /
          static_cast<double>(x.shape()[2]) +
      array::identity(channels, x.dtype(), x.device()) * eps;
  std::vector<Array> values;
  std::vector<Array> vectors;
  for (const Array& matrix : covariance) {
    const array::linalg::EighResult eigen = array::linalg::eigh(matrix);
    values.push_back(eigen.w);
    vectors.push_back(eigen.v);
  }
  result.roots = array::sqrt(array::stack(values));
  result.vectors = array::stack(vectors);
  result.projection =
      array::matmul(result.vectors / result.roots.expand_dims(1),
                    result.vectors, {.transb = true});
  return result;
}

Array symmetric(const Array& a) { return (a + a.transpose({0, 2, 1})) * 0.5; }

// Inputs: x and gy; the statistics are functions of x.
class WhiteningGradient final : public FunctionNode {
 public:
  WhiteningGradient(const Groups& groups, const Whitening& whitening)
      : groups_(groups), whitening_(whitening) {}

  std::string_view label() const override {
    return "gradient of decorrelated_batch_normalization";
  }

  Arrays forward(const Arrays& in) override {
    const Whitening& w = whitening_;
    const Array centered = groups_.from(in[0]) - w.mean;
    const Array gy = groups_.from(in[1]);
    // The derivative of a matrix to the power of -1/2: in the eigenbasis each
    // element is multiplied by -1 / (r s (r + s)), where r and s are square
    // roots of eigenvalues.
    const Array gprojection =
        symmetric(array::matmul(gy, centered, {.transb = true}));
    const Array r = w.roots.expand_dims(2);
    const Array s = w.roots.expand_dims(1);
    const Array inner =
        array::matmul(array::matmul(w.vectors, gprojection, {.transa = true}),
                      w.vectors) /
        (r * s * (r + s));
    const Array gcovariance = array::matmul(array::matmul(w.vectors, inner),
                                            w.vectors, {.transb = true});
    const Array g = array::matmul(w.projection, gy) -
                    array::matmul(gcovariance, centered) *
                        (2.0 / static_cast<double>(groups_.count()));
    return {groups_.to(g - mean_of_samples(g))};
  }

  Variables backward(const Indexes&, const Variables&) override {
    raise<NotImplementedError>(kName,
                               ": the gradient cannot be differentiated again");
  }

 private:
  Groups groups_;
  Whitening whitening_;
};

class DecorrelatedBatchNormalization final : public FunctionNode {
 public:
  DecorrelatedBatchNormalization(
      const Groups& groups,
      const DecorrelatedBatchNormalizationOptions& options)
      : groups_(groups), options_(options) {}

  std::string_view label() const override { return kName; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect_floating(x);
    if (x.array().itemsize() < 4) {  // LAPACK has no smaller floats
      in.fail("x.dtype is float32 or float64", str(x.array().dtype()));
    }
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    const Array x = groups_.from(in[0]);
    whitening_ = whitening_of(x, options_.eps);
    const auto m = static_cast<double>(groups_.count());
    update(options_.running_mean, whitening_.mean.squeeze({2}), 1);
    update(options_.running_projection, whitening_.projection,
           m / std::max(m - 1, 1.0));
    options_ = {};
    return {
        groups_.to(array::matmul(whitening_.projection, x - whitening_.mean))};
  }

  Variables backward(const Indexes&, const Variables& gy) override {
    return {catena::apply<WhiteningGradient>({retained_input(0), gy[0]},
                                             groups_, whitening_)};
  }

 private:
  void update(const Array& running, const Array& value, double factor) const {
    if (!running.defined()) return;
    running *= options_.decay;
    running += value * ((1 - options_.decay) * factor);
  }

  Groups groups_;
  DecorrelatedBatchNormalizationOptions options_;
  Whitening whitening_;
};

void check_statistic(const Array& statistic, const Shape& expected,
                     std::string_view name, std::string_view function) {
  if (statistic.shape() != expected || !is_floating(statistic.dtype())) {
    raise<ValueError>(function, ": expected ", name, " floating ", expected,
                      ", got ", statistic.dtype(), " ", statistic.shape());
  }
}

}  // namespace

Variable decorrelated_batch_normalization(
    const Variable& x, const DecorrelatedBatchNormalizationOptions& options) {
  if (!(options.eps >= 0)) {
    raise<ValueError>(kName, ": expected eps of at least 0, got ", options.eps);
  }
  const Groups groups(x.shape(), options.groups, kName);
  const int64_t channels = groups.split[2];
  if (options.running_mean.defined()) {
    check_statistic(options.running_mean, {options.groups, channels},
                    "running_mean", kName);
  }
  if (options.running_projection.defined()) {
    check_statistic(options.running_projection,
                    {options.groups, channels, channels}, "running_projection",
                    kName);
  }
  return apply<DecorrelatedBatchNormalization>({x}, groups, options);
}

Variable fixed_decorrelated_batch_normalization(
    const Variable& x, const Array& mean, const Array& projection,
    const FixedDecorrelatedBatchNormalizationOptions& options) {
  const Groups groups(x.shape(), options.groups, kFixedName);
  const int64_t channels = groups.split[2];
  check_statistic(mean, {options.groups, channels}, "mean", kFixedName);
  check_statistic(projection, {options.groups, channels, channels},
                  "projection", kFixedName);
  const Variable centered = groups.from(x) - mean.expand_dims(2);
  return groups.to(matmul(as_variable(projection), centered));
}

}  // namespace catena::functions
