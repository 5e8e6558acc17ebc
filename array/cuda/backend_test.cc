#include "catena/array/core/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/indexing/nonzero_kernel.h"
#include "catena/array/indexing/offset_ops.h"
#include "catena/array/kernels/kernel_slot.h"
#include "catena/array/kernels/random_kernel.h"
#include "catena/array/kernels/reduction_table.h"
#include "catena/array/kernels/ufunc_table.h"
#include "catena/array/linalg/gemm.h"
#include "catena/array/sorting/sort_kernel.h"
#include "catena/array/take_kernel.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/cuda/device.h"
#include "catena/cuda/pinned_memory.h"
#include "catena/cuda/stream.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using ::catena::testing::error_of;
using catena::testing::IsArray;
using ::testing::HasSubstr;

class BackendTest : public GpuTest {};

// 0, 1, 2, ... as float32, on the host.
Array counting(int64_t size) {
  return array::arange(size, Dtype::kFloat32, native_device());
}

TEST(LinkedBackendTest, IsInstalledByBeingLinked) {
  ASSERT_NE(backend_table(Backend::kCuda), nullptr);
  EXPECT_EQ(backend_table(Backend::kCuda)->device_count(), device_count());
}

TEST(LinkedBackendTest, ADeviceThatIsNotThereIsNamed) {
  if (device_count() == kMaxDevices) GTEST_SKIP() << "all devices are there";
  const Device device = cuda_device(device_count());
  EXPECT_THAT(error_of<DeviceError>(
                  [&] { array::zeros({2}, Dtype::kFloat32, device); }),
              HasSubstr(str("device ", device, " does not exist")));
  EXPECT_THAT(error_of<DeviceError>([&] { counting(3).to_device(device); }),
              HasSubstr(str("device ", device, " does not exist")));
}

template <class Kernel>
void expect_installed(const KernelSlot<Kernel>& slot) {
  EXPECT_NE(slot.kernels[static_cast<int>(KernelTarget::kCuda)], nullptr)
      << slot.name;
}

template <class... Rows>
void expect_ufuncs(TypeList<Rows...>) {
  (expect_installed(kernel_slot<array::UfuncFamily, typename Rows::Op>), ...);
}
template <class... Rows>
void expect_reductions(TypeList<Rows...>) {
  (expect_installed(kernel_slot<array::ReductionFamily, typename Rows::Op>),
   ...);
}
template <class... Ops>
void expect_distributions(TypeList<Ops...>) {
  (expect_installed(kernel_slot<array::RandomFamily, Ops>), ...);
}

// This program is linked statically: the linker has kept every kernel.
TEST(LinkedBackendTest, EverySlotOfArrayHasItsKernel) {
  expect_ufuncs(array::UfuncTable());
  expect_reductions(array::ReductionTable());
  expect_distributions(array::Distributions());
  expect_installed(kernel_slot<array::Gemm>);
  expect_installed(kernel_slot<array::FusedGemm>);
  expect_installed(kernel_slot<array::TakeKernels>);
  expect_installed(kernel_slot<array::ScatterFamily, array::ScatterAdd>);
  expect_installed(kernel_slot<array::ScatterFamily, array::ScatterUpdate>);
  expect_installed(kernel_slot<array::NonzeroKernel>);
  expect_installed(kernel_slot<array::SortFamily, array::Sort>);
  expect_installed(kernel_slot<array::SortFamily, array::Argsort>);
  expect_installed(kernel_slot<array::Searchsorted>);
  expect_installed(kernel_slot<array::OffsetFamily, array::AddOffsetOp>);
  expect_installed(kernel_slot<array::OffsetFamily, array::UnravelOp>);
}

TEST_F(BackendTest, DescribesTheDevice) {
  EXPECT_THAT(backend_table(Backend::kCuda)->describe(cuda_device()),
              HasSubstr(properties(0).name + " (compute capability "));
}

TEST_F(BackendTest, SmallAndLargeArraysComeBackAsTheyWent) {
  for (const int64_t size : {1, 7, 1000, 262144, 262145, 3000001}) {
    const Array host = counting(size);
    const Array device = host.to_device(cuda_device());
    EXPECT_EQ(device.device(), cuda_device());
    EXPECT_THAT(device.to_device(native_device()), IsArray(host));
  }
}

TEST_F(BackendTest, TheHostsMemoryMayBeChangedOnceTheCopyReturned) {
  for (const int64_t size : {100, 3000001}) {
    std::vector<float> values(static_cast<size_t>(size));
    std::iota(values.begin(), values.end(), 0.f);
    const Array device = array::array(values, std::nullopt, cuda_device());
    std::fill(values.begin(), values.end(), -1.f);
    EXPECT_THAT(device.to_device(native_device()), IsArray(counting(size)));
  }
}

TEST_F(BackendTest, ManySmallCopiesDoNotOvertakeEachOther) {
  std::vector<Array> arrays;
  std::vector<float> value(1);
  for (int i = 0; i < 300; ++i) {
    value[0] = static_cast<float>(i);
    arrays.push_back(array::array(value, std::nullopt, cuda_device()));
  }
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(arrays[static_cast<size_t>(i)].item<float>(), i);
  }
}

TEST_F(BackendTest, ArraysWorkOnAnotherStream) {
  const Stream stream({.device = 0, .non_blocking = true});
  const StreamScope scope(stream);
  const Array x = counting(1000).to_device(cuda_device());
  const Array y = array::add(x, x);
  EXPECT_THAT(y.to_device(native_device()),
              IsArray(array::multiply(counting(1000), 2)));
}

TEST_F(BackendTest, CopiesBetweenDevices) {
  if (gpus_for_tests() < 2) {
    GTEST_SKIP() << "only one CUDA device";
  }
  const Array host = counting(100000);
  const Array first = host.to_device(cuda_device(0));
  const Array second = array::add(first, 1).to_device(cuda_device(1));
  EXPECT_EQ(second.device(), cuda_device(1));
  EXPECT_THAT(array::subtract(second, 1).to_device(native_device()),
              IsArray(host));
}

// In each round emulated devices take another order where no stream waits.
TEST_F(BackendTest, CopiesOfADeviceThatIsNotCurrent) {
  if (gpus_for_tests() < 2) {
    GTEST_SKIP() << "only one CUDA device";
  }
  ASSERT_EQ(get_device(), 0);
  constexpr int64_t kSize = 1000;
  const Array first = counting(kSize).to_device(cuda_device(0));
  for (int round = 0; round < 30; ++round) {
    const Array second = array::add(first, round).to_device(cuda_device(1));
    const Array sum = array::add(second, 1);
    const PinnedMemory memory(sum.nbytes());
    backend_table(Backend::kCuda)
        ->copy(memory.ptr(), native_device(), sum.raw_data(), cuda_device(1),
               sum.nbytes());
    EXPECT_EQ(static_cast<const float*>(memory.ptr())[5],
              6.f + static_cast<float>(round));
    EXPECT_THAT(sum.to_device(native_device()),
                IsArray(array::add(counting(kSize), round + 1)));
  }
}

TEST_F(BackendTest, OperandsOnTwoDevicesAreRefused) {
  const Array host = counting(3);
  const Array device = host.to_device(cuda_device());
  EXPECT_THAT(error_of<DeviceError>([&] { array::add(host, device); }),
              HasSubstr("cuda:0"));
}

}  // namespace
}  // namespace catena::cuda
