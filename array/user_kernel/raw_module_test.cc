#include "catena/array/user_kernel/raw_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/cuda/device.h"
#include "catena/cuda/error.h"
#include "catena/cuda/nvrtc.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::AllOf;
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
  EXPECT_THAT(error_of<IoError>([] { RawModule::from_file("/no/such.cubin"); }),
              HasSubstr("/no/such.cubin"));
}

TEST_F(RawModuleTest, NamesTheFileThatTheDriverRefuses) {
  const DeviceScope scope(cuda_device());
  const testing::TempFolder folder;
  const std::string cubin =
      compile_with_nvrtc(kCode, {}, compute_capability(0), {}).cubin;
  const auto expect_refusal = [&](const std::string& code) {
    const std::string path = folder.file("refused.cubin");
    testing::write_file(path, code);
    const auto refused = ThrowsMessage<DeviceError>(
        AllOf(HasSubstr("RawModule: expected code for cuda:0"),
              HasSubstr("refused.cubin, but the driver refuses it: ")));
    EXPECT_THAT([&] { RawModule::from_file(path).get_global("factor"); },
                refused);
    const Array x = array::ones({4}, Dtype::kFloat32);
    const RawFunction scale = RawModule::from_file(path).get_function("scale");
    EXPECT_THAT([&] { scale({1}, {4}, {x}); }, refused);
  };
  expect_refusal("This is not PTX.");
  for (const size_t divisor : {2, 3, 100}) {
    expect_refusal(cubin.substr(0, cubin.size() / divisor));
  }
  expect_refusal(cubin.substr(0, 4));
  std::string damaged = cubin;
  for (size_t i = 4; i < 20; ++i) damaged[i] = static_cast<char>(~damaged[i]);
  expect_refusal(damaged);
  // The GPU can be used, and the code where it is whole.
  const std::string path = folder.file("whole.cubin");
  testing::write_file(path, cubin);
  EXPECT_EQ(RawModule::from_file(path).get_global("factor").size(), 4);
}

}  // namespace
}  // namespace catena::cuda
