#include "catena/array/user_kernel/raw_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/nvrtc.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::cuda {
namespace {

using ::catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* kCode = R"(
__device__ float factor;
__constant__ float terms[2];
template <class T> __global__ void fill(T* x, T value) {
  x[threadIdx.x] = value;
}
extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= factor; }
extern "C" __global__ void shift(float* x) {
  x[threadIdx.x] += terms[0] + terms[1];
}
)";

class RawModuleTest : public GpuTest {};

TEST_F(RawModuleTest, HasSeveralKernelsAndVariables) {
  const DeviceScope scope(cuda_device());
  const RawModule module(kCode, {.name_expressions = {"fill<float>"}});
  const MemoryPointer factor = module.get_global("factor");
  EXPECT_EQ(factor.size(), 4);
  EXPECT_EQ(module.get_global("terms").size(), 8);
  const float two = 2;
  factor.copy_from(&two, sizeof(two));
  const float terms[] = {10, 20};
  module.get_global("terms").copy_from(terms, sizeof(terms));
  const Array x = array::empty({5}, Dtype::kFloat32);
  module.get_function("fill<float>")({1}, {5}, {x, 3.0f});
  module.get_function("scale")({1}, {5}, {x});
  const RawFunction shift = module.get_function("shift");
  EXPECT_EQ(shift.name(), "shift");
  shift({1}, {5}, {x});
  EXPECT_THAT(x, IsArray(array::full({5}, 36, Dtype::kFloat32)));
}

TEST_F(RawModuleTest, LoadsWhatNvccWrites) {
  const DeviceScope scope(cuda_device());
  const testing::TempFolder folder;
  const auto path = folder.path() + "/kernels.cubin";
  const NvrtcResult result =
      compile_with_nvrtc(kCode, {}, compute_capability(0), {});
  ASSERT_TRUE(result.ok) << result.messages;
  std::ofstream(path, std::ios::binary) << result.cubin;
  const RawModule module = RawModule::from_file(path);
  const float half = 0.5;
  module.get_global("factor").copy_from(&half, sizeof(half));
  const Array x = array::ones({4}, Dtype::kFloat32);
  module.get_function("scale")({1}, {4}, {x});
  EXPECT_THAT(x, IsArray(array::full({4}, 0.5, Dtype::kFloat32)));
}

TEST_F(RawModuleTest, NamesWhatIsMissing) {
  const DeviceScope scope(cuda_device());
  const RawModule module(kCode);
  const Array x = array::ones({4}, Dtype::kFloat32);
  EXPECT_THROW(module.get_function("square")({1}, {4}, {x}), CudaError);
  EXPECT_THROW(module.get_global("summand"), CudaError);
  EXPECT_THAT([] { RawModule::from_file("/no/such.cubin"); },
              ThrowsMessage<IoError>(HasSubstr("/no/such.cubin")));
  const testing::TempFolder folder;
  const auto path = folder.path() + "/text.ptx";
  std::ofstream(path) << "This is not PTX.";
  EXPECT_THAT([&] { RawModule::from_file(path).get_global("factor"); },
              ThrowsMessage<DeviceError>(HasSubstr("text.ptx")));
}

}  // namespace
}  // namespace catena::cuda
