#include "catena/links/initializers/orthogonal.h"

#include <algorithm>
#include <cmath>

#include "catena/array/core/error.h"
#include "catena/array/linalg/decomposition.h"
#include "catena/array/manipulation/diagonal.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"

namespace catena::initializers {

Orthogonal::Orthogonal(double scale, OrthogonalMode mode)
    : scale(scale), mode(mode) {
  if (!std::isfinite(scale)) {
    raise<ValueError>("Orthogonal: expected a finite scale, got ", scale);
  }
}

void Orthogonal::operator()(const Array& out) const {
  const Shape& shape = out.shape();
  if (out.size() == 0) {
    raise<ShapeError>("Orthogonal: expected elements, got shape ", shape);
  }
  const int64_t rows = shape.ndim() == 0 ? 1 : shape[0];
  const int64_t columns = out.size() / rows;
  if (rows > columns && mode == OrthogonalMode::kBasis) {
    raise<ShapeError>(
        "Orthogonal: expected at most as many rows as columns, "
        "got ",
        rows, " and ", columns, " of shape ", shape);
  }
  // LAPACK does not support 16-bit floats.
  const Dtype dtype =
      out.dtype() == Dtype::kFloat64 ? Dtype::kFloat64 : Dtype::kFloat32;
  const Array random = array::random::normal(
      0.0, 1.0, {std::max(rows, columns), std::min(rows, columns)}, dtype,
      out.device());
  const auto [q, r] = array::linalg::qr(random);
  // With the diagonal of r positive, the distribution of q is uniform.
  const Array diagonal = array::diagonal(r);
  const Array factors =
      array::where(array::less(diagonal, 0), -scale, Scalar(scale));
  const Array system = q * factors.astype(dtype);
  out.assign((rows <= columns ? system.T() : system).reshape(shape));
}

}  // namespace catena::initializers
