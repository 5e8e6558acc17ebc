#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/array/fft/fft.h"
#include "catena/cuda/graph.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"

namespace catena::array::fft {
namespace {

class FftGraphTest : public cuda::GpuTest {};

// Plans that nothing refers to are destroyed when there are many.
TEST_F(FftGraphTest, CapturedPlansStay) {
  const DeviceScope scope(cuda_device());
  const Array x = array::arange(12, Dtype::kFloat32);
  const Array zeros = array::zeros({12}, Dtype::kFloat32);
  const ComplexArrays expected = fft(x, zeros);
  ComplexArrays y;
  const cuda::Graph graph([&] { y = fft(x, zeros); });
  for (int64_t length = 13; length < 50; ++length) {
    const Array other = array::ones({length}, Dtype::kFloat32);
    fft(other, other);
  }
  graph.launch();
  EXPECT_THAT(y.real, testing::IsArray(expected.real));
  EXPECT_THAT(y.imag, testing::IsArray(expected.imag));
}

}  // namespace
}  // namespace catena::array::fft
