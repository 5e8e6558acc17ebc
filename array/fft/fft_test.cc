#include "catena/array/fft/fft.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::array::fft {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

// The defining sums, in double.
ComplexArrays transform_by_definition(const Array& real, const Array& imag) {
  const int64_t n = real.shape().back();
  const std::vector<double> re = real.to_vector<double>();
  const std::vector<double> im = imag.to_vector<double>();
  std::vector<double> out_re(re.size());
  std::vector<double> out_im(re.size());
  for (size_t row = 0; row < re.size(); row += n) {
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t i = 0; i < n; ++i) {
        const double angle = -2 * std::numbers::pi *
                             static_cast<double>(i * k % n) /
                             static_cast<double>(n);
        const double c = std::cos(angle);
        const double s = std::sin(angle);
        out_re[row + k] += re[row + i] * c - im[row + i] * s;
        out_im[row + k] += re[row + i] * s + im[row + i] * c;
      }
    }
  }
  return {array(out_re, real.shape()), array(out_im, real.shape())};
}

// |a - b| / |b| in the Euclidean norm.
double relative_error(const ComplexArrays& a, const ComplexArrays& b) {
  double difference = 0;
  double size = 0;
  for (const auto& [x, y] : {std::pair(a.real, b.real), {a.imag, b.imag}}) {
    const Array expected = y.to_device(native_device()).astype(Dtype::kFloat64);
    const Array error =
        x.to_device(native_device()).astype(Dtype::kFloat64) - expected;
    difference += sum(error * error).item<double>();
    size += sum(expected * expected).item<double>();
  }
  return std::sqrt(difference / size);
}

double epsilon_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat64:
      return 0x1p-53;
    case Dtype::kFloat32:
      return 0x1p-24;
    case Dtype::kFloat16:
      return 0x1p-11;
    default:
      return 0x1p-8;
  }
}

class FftTest : public testing::DeviceDtypeTest {
 protected:
  ComplexArrays sample(const Shape& shape) const {
    return {testing::uniform(shape, -1, 1, dtype(), /*seed=*/1),
            testing::uniform(shape, -1, 1, dtype(), /*seed=*/2)};
  }
};
INSTANTIATE_TEST_SUITE_P(Fft, FftTest, testing::every_device_and_float_dtype(),
                         testing::device_dtype_name);

// Every length up to 40, powers, products of all radices, primes.
TEST_P(FftTest, AgreesWithTheDefinitionForEveryLength) {
  std::vector<int64_t> lengths = {64,  97,  121, 128, 169, 210, 243,
                                  256, 289, 343, 509, 512, 625, 1001};
  for (int64_t n = 1; n <= 40; ++n) lengths.push_back(n);
  for (const int64_t n : lengths) {
    SCOPED_TRACE(n);
    // Fewer rows, as many and more than are taken at a time.
    const ComplexArrays x = sample({n < 50 ? 35 : 3, n});
    EXPECT_LT(relative_error(fft(x.real, x.imag),
                             transform_by_definition(x.real, x.imag)),
              40 * epsilon_of(dtype()));
  }
}

TEST_P(FftTest, InverseUndoesIt) {
  for (const Shape& shape : {Shape{4096}, Shape{2, 3, 60}, Shape{70, 17},
                             Shape{3, 1}, Shape{40000}, Shape{10007}}) {
    SCOPED_TRACE(str(shape));
    const ComplexArrays x = sample(shape);
    const ComplexArrays y = fft(x.real, x.imag);
    EXPECT_EQ(y.real.shape(), shape);
    EXPECT_EQ(y.imag.dtype(), dtype());
    if (dtype() == Dtype::kFloat16) continue;  // large sums are too large
    EXPECT_LT(relative_error(ifft(y.real, y.imag), x),
              60 * epsilon_of(dtype()));
  }
}

TEST_P(FftTest, ReadsViewsAndKeepsEmptyBatches) {
  const ComplexArrays x = sample({6, 5});
  const ComplexArrays y = fft(x.real.T(), x.imag.T());
  const ComplexArrays expected = fft(x.real.T().copy(), x.imag.T().copy());
  EXPECT_THAT(y.real, testing::IsArray(expected.real));
  EXPECT_THAT(y.imag, testing::IsArray(expected.imag));
  const Array none = zeros({0, 3}, dtype());
  EXPECT_EQ(fft(none, none).real.shape(), none.shape());
}

TEST(FftTargetTest, EveryInstructionSetAgreesWithTheDefinition) {
  const KernelTarget best = cpu_kernel_target();
  for (int target = 0; target <= static_cast<int>(best); ++target) {
    set_cpu_kernel_target(static_cast<KernelTarget>(target));
    for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat64}) {
      for (const int64_t n : {3 * 5 * 7 * 4, 11 * 13 * 2, 37}) {
        SCOPED_TRACE(str("target ", target, ", ", dtype, ", length ", n));
        const Array x = testing::uniform({5, n}, -1, 1, dtype);
        EXPECT_LT(relative_error(fft(x, -x), transform_by_definition(x, -x)),
                  40 * epsilon_of(dtype));
      }
    }
  }
  set_cpu_kernel_target(best);
}

TEST(FftErrorTest, NamesWhatDoesNotFit) {
  const Array x = zeros({2, 3});
  EXPECT_THAT(error_of<ShapeError>([&] { fft(x, zeros({3})); }),
              HasSubstr("fft: expected real and imaginary parts of the "
                        "same shape with a nonempty last axis, got "
                        "(2, 3) and (3,)"));
  EXPECT_THAT(error_of<ShapeError>([] { ifft(zeros({}), zeros({})); }),
              HasSubstr("ifft"));
  EXPECT_THAT(error_of<ShapeError>([] {
                fft(zeros({2, 0}), zeros({2, 0}));
              }),
              HasSubstr("(2, 0)"));
  EXPECT_THAT(error_of<DtypeError>([&] {
                fft(x, zeros({2, 3}, Dtype::kFloat32));
              }),
              HasSubstr("fft: expected floats of one dtype, got float64 "
                        "and float32"));
  EXPECT_THAT(error_of<DtypeError>([] { fft(arange(3), arange(3)); }),
              HasSubstr("int64"));
  EXPECT_THAT(error_of<DeviceError>(
                  [&] { fft(x, x.to_device(Device(Backend::kNative, 1))); }),
              HasSubstr("native:0 and native:1"));
}

}  // namespace
}  // namespace catena::array::fft
