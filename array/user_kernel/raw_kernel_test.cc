#include "catena/array/user_kernel/raw_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

const RawKernel& add_kernel() {
  static const RawKernel kernel(R"(
extern "C" __global__ void add(const float* x, const float* y, float* z,
                               long long size, float bias) {
  extern __shared__ float shared[];
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = bias;
  if (i < size) z[i] = x[i] + y[i] + shared[threadIdx.x];
})",
                                "add");
  return kernel;
}

class RawKernelTest : public GpuTest {};

TEST_F(RawKernelTest, RunsOverAGridWithSharedMemory) {
  const DeviceScope scope(cuda_device());
  const Array x = array::arange(1000, Dtype::kFloat32);
  const Array z = array::empty_like(x);
  add_kernel()({8}, {128}, {x, x, z, int64_t{1000}, 0.5f},
               {.shared_mem = 128 * 4});
  EXPECT_THAT(z, IsArray(x * 2 + 0.5));
}

TEST_F(RawKernelTest, RunsAnInstanceOfATemplate) {
  const DeviceScope scope(cuda_device());
  const RawKernel fill(
      "template <class T> __global__ void fill(T* x, T value) {\n"
      "  x[blockIdx.y * blockDim.x + threadIdx.x] = value;\n}",
      "fill<double>");
  const Array x = array::zeros({6});
  fill({1, 3}, {2}, {x, 7.0});
  EXPECT_THAT(x, IsArray(array::full({6}, 7.0)));
}

TEST_F(RawKernelTest, ShowsTheCodesOwnLines) {
  const RawKernel kernel("extern \"C\" __global__ void f() {\n  int a = b;\n}",
                         "f");
  EXPECT_THAT(error_of<CompileError>([&] { kernel({1}, {1}, {}); }),
              HasSubstr("   2 |   int a = b;"));
}

TEST(RawKernelErrorTest, NamesTheArgumentThatIsNotOnAGpu) {
  const Array x = array::zeros({3}, Dtype::kFloat32);
  EXPECT_THAT(error_of<DeviceError>([&] {
                add_kernel()({1}, {3}, {1.0f, x});
              }),
              "add: expected argument 1 on a GPU, got an array on "
              "native:0");
}

TEST(RawKernelErrorTest, RejectsExtentsOfZeroAndNegativeSharedMemory) {
  EXPECT_THAT(error_of<ValueError>([] { add_kernel()({0}, {1}, {}); }),
              HasSubstr("add: expected a grid with positive extents"));
  EXPECT_THAT(error_of<ValueError>([] {
                add_kernel()({1}, {1, 1, 0}, {});
              }),
              HasSubstr("add: expected a block with positive extents, got "
                        "(1, 1, 0)"));
  EXPECT_THAT(error_of<ValueError>(
                  [] { add_kernel()({1}, {1}, {}, {.shared_mem = -1}); }),
              HasSubstr("add: expected shared_mem of at least 0"));
}

}  // namespace
}  // namespace catena::cuda
