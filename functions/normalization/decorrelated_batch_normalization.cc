#include "catena/functions/normalization/decorrelated_batch_normalization.h"

#include <algorithm>
#include <vector>

#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/decomposition.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/kinds.h"
#include "catena/functions/math/average.h"
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
constexpr std::string_view kGradientName =
    "gradient of decorrelated_batch_normalization";
constexpr std::string_view kFixedName =
    "fixed_decorrelated_batch_normalization";

Variable mean_of_samples(const Variable& grouped) {
  return average(grouped, {.axis = 2, .keepdims = true});
}

Variable covariance_of(const Variable& centered, double eps) {
  const Shape& shape = centered.shape();
  return matmul(centered, centered,
                {.transb = true, .alpha = 1 / static_cast<double>(shape[2])}) +
         array::identity(shape[1], centered.dtype(), centered.device()) * eps;
}

// The eigenvalues and eigenvectors of the covariances C, one for each group.
struct Eigen {
  Array roots;    // of the eigenvalues, (groups, D)
  Array vectors;  // (groups, D, D)

  // C^(-1/2).
  Array inverse_root() const {
    return array::matmul(vectors / roots.expand_dims(1), vectors,
                         {.transb = true});
  }

  // The solution X of R X + X R = b, where R is C^(1/2): in the eigenbasis each
  // element is divided by the sum of two eigenvalues of R.
  Array solve(const Array& b) const {
    const Array inner =
        array::matmul(array::matmul(vectors, b, {.transa = true}), vectors) /
        (roots.expand_dims(2) + roots.expand_dims(1));
    return array::matmul(array::matmul(vectors, inner), vectors,
                         {.transb = true});
  }
};

// The statistics of a batch.
struct Whitening {
  Array mean;        // (groups, D, 1)
  Array covariance;  // (groups, D, D)
  Eigen eigen;
  Array projection;  // the covariance's power of -1/2, (groups, D, D)
};

// x is (groups, D, samples).
Whitening whitening_of(const Variable& x, double eps) {
  const Variable mean = mean_of_samples(x);
  std::vector<Array> values;
  std::vector<Array> vectors;
  const Array covariance = covariance_of(x - mean, eps).data();
  for (const Array& matrix : covariance) {
    const array::linalg::EighResult eigen = array::linalg::eigh(matrix);
    values.push_back(eigen.w);
    vectors.push_back(eigen.v);
  }
  const Eigen eigen{array::sqrt(array::stack(values)), array::stack(vectors)};
  return {mean.data(), covariance, eigen, eigen.inverse_root()};
}

// The solution X of R X + X R = b for given R and b, (groups, D, D), where R is
// symmetric and has the eigenvalues and vectors given.
class SylvesterSolution final : public FunctionNode {
 public:
  explicit SylvesterSolution(const Eigen& eigen) : eigen_(eigen) {}

  std::string_view label() const override { return kGradientName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::GradientOf<
        kinds::GradientOf<kinds::DecorrelatedBatchNormalization>>>();
  }

  Arrays forward(const Arrays& in) override {
    retain_input(0);
    retain_output(0);
    return {eigen_.solve(in[1])};
  }

  Variables backward(const Indexes& wanted, const Variables& gx) override {
    const Variable gb =
        catena::apply<SylvesterSolution>({retained_input(0), gx[0]}, eigen_);
    Variables gradients;
    for (const int i : wanted) {
      if (i == 1) {
        gradients.push_back(gb);
        continue;
      }
      const Variable x = retained_output(0);
      gradients.push_back(
          -(matmul(gb, x, {.transb = true}) + matmul(x, gb, {.transa = true})));
    }
    return gradients;
  }

 private:
  Eigen eigen_;
};

// For the gradient of P = C^(-1/2), minus that of C: with R = C P the inverse
// of P, it follows from dC = R dR + dR R and dP = -P dR P.
Variable negative_gradient_of_covariance(const Variable& covariance,
                                         const Variable& projection,
                                         const Variable& gprojection,
                                         const Eigen& eigen) {
  return catena::apply<SylvesterSolution>(
      {matmul(covariance, projection),
       matmul(matmul(projection, gprojection), projection)},
      eigen);
}

// C^(-1/2) as a function of the covariance C.
class InverseRoot final : public FunctionNode {
 public:
  explicit InverseRoot(const Whitening& whitening) : whitening_(whitening) {}

  std::string_view label() const override { return kGradientName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<
        kinds::GradientOf<kinds::DecorrelatedBatchNormalization>>();
  }

  Arrays forward(const Arrays&) override {
    retain_input(0);
    retain_output(0);
    return {whitening_.projection};
  }

  Variables backward(const Indexes&, const Variables& gp) override {
    return {-negative_gradient_of_covariance(
        retained_input(0), retained_output(0), gp[0], whitening_.eigen)};
  }

 private:
  Whitening whitening_;
};

class DecorrelatedBatchNormalization final : public FunctionNode {
 public:
  DecorrelatedBatchNormalization(
      const Groups& groups,
      const DecorrelatedBatchNormalizationOptions& options)
      : groups_(groups), options_(options), eps_(options.eps) {}

  std::string_view label() const override { return kName; }
  FunctionDescription description() const override {
    return FunctionDescription::of<kinds::DecorrelatedBatchNormalization>(
        {{"groups", groups_.split[1]}, {"eps", eps_}});
  }
  bool repeats() const override { return false; }

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
    whitening_ = whitening_of(as_variable(x), options_.eps);
    const auto m = static_cast<double>(groups_.count());
    update(options_.running_mean, whitening_.mean.squeeze({2}), 1);
    update(options_.running_projection, whitening_.projection,
           m / std::max(m - 1, 1.0));
    options_ = {};
    return {
        groups_.to(array::matmul(whitening_.projection, x - whitening_.mean))};
  }

  Variables backward(const Indexes&, const Variables& gys) override {
    const Variable x = groups_.from(retained_input(0));
    const Variable centered = x - mean_of_samples(x);
    const Variable gy = groups_.from(gys[0]);
    const bool recorded = config().enable_backprop;
    const Variable covariance = recorded ? covariance_of(centered, eps_)
                                         : as_variable(whitening_.covariance);
    const Variable projection =
        catena::apply<InverseRoot>({covariance}, whitening_);
    const Variable product = matmul(gy, centered, {.transb = true});
    const Variable gprojection =
        (product + transpose(product, {0, 2, 1})) * 0.5;
    const Variable subtracted = negative_gradient_of_covariance(
        covariance, projection, gprojection, whitening_.eigen);
    const Variable g =
        matmul(projection, gy) -
        matmul(subtracted, centered,
               {.alpha = 2.0 / static_cast<double>(groups_.count())});
    return {groups_.to(g - mean_of_samples(g))};
  }

 private:
  void update(const Array& running, const Array& value, double factor) const {
    if (!running.defined()) return;
    running *= options_.decay;
    running += value * ((1 - options_.decay) * factor);
  }

  Groups groups_;
  DecorrelatedBatchNormalizationOptions options_;
  double eps_;
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
