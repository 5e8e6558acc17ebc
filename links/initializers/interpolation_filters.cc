#include "catena/links/initializers/interpolation_filters.h"

#include <cmath>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::initializers {
namespace {

// The weights of linear interpolation along an axis of the kernel.
Array linear_weights(int64_t size) {
  const auto factor = static_cast<double>((size + 1) / 2);
  const double center = size % 2 == 1 ? factor - 1 : factor - 0.5;
  std::vector<double> weights;
  for (int64_t i = 0; i < size; ++i) {
    weights.push_back(1 - std::abs(static_cast<double>(i) - center) / factor);
  }
  return array::array(weights);
}

// The product of linear_weights along all axes of the kernel.
Array linear_kernel(const Shape& weight_shape) {
  Array kernel = array::ones({});
  for (int i = 2; i < weight_shape.ndim(); ++i) {
    kernel = kernel.expand_dims(-1) * linear_weights(weight_shape[i]);
  }
  return kernel;
}

// Writes the kernel for channel i on one side and i, or the only channel, on
// the other.
void fill_channels(const Array& out, const Array& kernel,
                   std::string_view name) {
  const Shape& shape = out.shape();
  if (shape.ndim() < 3 || (shape[0] != shape[1] && shape[1] != 1)) {
    raise<ShapeError>(name,
                      ": expected a weight (n, n, k...) or (n, 1, k...), "
                      "got shape ",
                      shape);
  }
  out.fill(0);
  const Array values = kernel.astype(out.dtype()).to_device(out.device());
  for (int64_t i = 0; i < shape[0]; ++i) {
    out[{i, shape[1] == 1 ? 0 : i}].assign(values);
  }
}

}  // namespace

void UpsamplingDeconvFilter::operator()(const Array& out) const {
  fill_channels(out, linear_kernel(out.shape()), "UpsamplingDeconvFilter");
}

void DownsamplingConvFilter::operator()(const Array& out) const {
  const Array kernel = linear_kernel(out.shape());
  fill_channels(out, kernel / array::sum(kernel), "DownsamplingConvFilter");
}

}  // namespace catena::initializers
