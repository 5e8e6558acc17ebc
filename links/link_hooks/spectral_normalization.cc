#include "catena/links/link_hooks/spectral_normalization.h"

#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/array/linalg/decomposition.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/linalg/norm.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/links/connection/deconvolution_nd.h"

namespace catena::link_hooks {
namespace {

Array normalized(const Array& x, double eps) {
  return x / (array::linalg::norm(x) + eps);
}

// LAPACK does not support 16-bit floats.
double largest_singular_value(const Array& matrix) {
  const Array s = array::linalg::svdvals(matrix.astype(Dtype::kFloat64));
  return s[0].item<double>();
}

// The weight as a matrix whose rows are along the axis.
Variable as_matrix(const Variable& W, int64_t axis) {
  Variable matrix = W;
  if (axis != 0) {
    Axes axes{axis};
    for (int64_t i = 0; i < W.ndim(); ++i) {
      if (i != axis) axes.push_back(i);
    }
    matrix = functions::transpose(matrix, axes);
  }
  return functions::reshape(matrix, {matrix.shape()[0], -1});
}

}  // namespace

SpectralNormalization::SpectralNormalization(
    const SpectralNormalizationOptions& options)
    : WeightHook(options.weight_name),
      options_(options),
      vector_name_(options.weight_name + "_u") {
  if (options.n_power_iteration < 1) {
    raise<ValueError>(
        "SpectralNormalization: expected n_power_iteration of at least 1, got ",
        options.n_power_iteration);
  }
  if (!(options.eps >= 0)) {
    raise<ValueError>("SpectralNormalization: expected eps of at least 0, got ",
                      options.eps);
  }
}

void SpectralNormalization::added(Link* link) {
  WeightHook::added(link);
  const Param& W = link->param(weight_name());
  if (W.is_initialized()) prepare(*link, W);
}

void SpectralNormalization::deleted(Link* link) {
  if (link == nullptr) return;
  for (const std::string& name : {vector_name_, std::string("gamma")}) {
    if (name == "gamma" && !options_.use_gamma) continue;
    if (link->has_value(name)) link->remove_value(name);
  }
}

int64_t SpectralNormalization::axis_of(const Link& link) const {
  if (options_.axis) return *options_.axis;
  return dynamic_cast<const links::DeconvolutionND*>(&link) != nullptr ? 1 : 0;
}

void SpectralNormalization::prepare(Link& link, const Variable& W) {
  const Shape& shape = W.shape();
  const int64_t axis = axis_of(link);
  if (axis < 0 || axis >= shape.ndim() || W.size() == 0) {
    raise<ShapeError>("SpectralNormalization: expected a weight with outputs ",
                      "along axis ", axis, ", got shape ", shape);
  }
  link.add_persistent_value(
      vector_name_,
      array::random::normal(0.0, 1.0, {shape[static_cast<int>(axis)]},
                            W.dtype(), W.device()));
  if (!options_.use_gamma) return;
  const auto no_graph = no_backprop_mode();
  const double value = largest_singular_value(as_matrix(W, axis).data());
  link.add_param(
      "gamma",
      Initializer([value](const Array& out) { out.fill(value); }, W.dtype()),
      Shape{});
}

std::pair<Array, Array> SpectralNormalization::vectors(Link& link,
                                                       const Array& matrix) {
  const std::lock_guard lock(mutex_);
  auto& last = last_vectors_[&link];
  if (config().in_recomputing && last.first.defined()) return last;
  Array u = link.persistent(vector_name_);
  Array v;
  for (int64_t i = 0; i < options_.n_power_iteration; ++i) {
    v = normalized(array::matmul(u, matrix), options_.eps);
    u = normalized(array::matmul(matrix, v), options_.eps);
  }
  if (config().train) link.persistent(vector_name_) = u;
  return last = {u, v};
}

Variable SpectralNormalization::compute_weight(Link& link, const Variable& W) {
  if (!link.has_value(vector_name_)) prepare(link, W);
  const Variable matrix = as_matrix(W, axis_of(link));
  const auto [u, v] = vectors(link, matrix.data());
  Variable sigma = functions::matmul(functions::matmul(as_variable(u), matrix),
                                     as_variable(v));
  if (options_.factor) sigma = sigma / *options_.factor;
  if (options_.use_gamma) return link.param("gamma") * W / sigma;
  return W / sigma;
}

}  // namespace catena::link_hooks
