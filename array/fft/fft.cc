#include "catena/array/fft/fft.h"

#include <string_view>

#include "catena/array/core/error.h"
#include "catena/array/fft/fft_kernel.h"

namespace catena::array::fft {
namespace {

void check(std::string_view name, const Array& real, const Array& imag) {
  if (real.shape() != imag.shape() || real.ndim() == 0 ||
      real.shape().back() == 0) {
    raise<ShapeError>(name,
                      ": expected real and imaginary parts of the same shape "
                      "with a nonempty last axis, got ",
                      real.shape(), " and ", imag.shape());
  }
  if (real.dtype() != imag.dtype() || !is_floating(real.dtype())) {
    raise<DtypeError>(name, ": expected floats of one dtype, got ",
                      real.dtype(), " and ", imag.dtype());
  }
  if (real.device() != imag.device()) {
    raise<DeviceError>(name, ": expected parts on one device, got ",
                       real.device().name(), " and ", imag.device().name());
  }
}

ComplexArrays transform(std::string_view name, const Array& real,
                        const Array& imag, bool inverse) {
  check(name, real, imag);
  const Dtype dtype = real.dtype();
  if (dtype == Dtype::kFloat16 || dtype == Dtype::kBFloat16) {
    const ComplexArrays wide = transform(name, real.astype(Dtype::kFloat32),
                                         imag.astype(Dtype::kFloat32), inverse);
    return {wide.real.astype(dtype), wide.imag.astype(dtype)};
  }
  const Array x = real.contiguous();
  const Array y = imag.contiguous();
  const ComplexArrays result{empty_like(x), empty_like(y)};
  const int64_t length = real.shape().back();
  if (real.size() == 0) return result;
  kernel_slot<Fft>.on(x.device())[dtype]({.device = x.device(),
                                          .rows = x.size() / length,
                                          .length = length,
                                          .inverse = inverse,
                                          .real = x.raw_data(),
                                          .imag = y.raw_data(),
                                          .real_out = result.real.raw_data(),
                                          .imag_out = result.imag.raw_data()});
  return result;
}

}  // namespace

ComplexArrays fft(const Array& real, const Array& imag) {
  return transform("fft", real, imag, /*inverse=*/false);
}

ComplexArrays ifft(const Array& real, const Array& imag) {
  return transform("ifft", real, imag, /*inverse=*/true);
}

}  // namespace catena::array::fft
