// The code of gpu_basics.md: compiled, run, and compared with the page.

#include "catena/docs/guide/gpu_basics_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::HasSubstr;

// log(1 + exp(x)), without overflow for large x.
Array softplus(const Array& x) {
  return xp::maximum(x, 0) + xp::log1p(xp::exp(-xp::abs(x)));
}

// One-hot rows: labels (N,) to (N, n).
Array one_hot(const Array& labels, int64_t n) {
  const Array classes = xp::arange(n, labels.dtype(), labels.device());
  return xp::equal(labels.expand_dims(1), classes).astype(Dtype::kFloat32);
}

TEST(GpuBasicsPageTest, ArraysLiveOnDevices) {
  const Device host = native_device();
  const Device device =
      Device::parse("native:1");  // "cuda:0" where there is a GPU

  ::testing::internal::CaptureStdout();
  Array x = xp::arange(6.0).reshape({2, 3});  // on the current device, native:0
  Array there = x.to_device(device);          // a copy
  Array back = there.to_device(host);
  std::cout << there.device() << '\n';  // native:1
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "native:1\n");
  EXPECT_EQ(x.device(), host);
  EXPECT_EQ(back.device(), host);
  there.fill(7);
  EXPECT_THAT(back, IsArray(x));
  Array same = x.to_device(host);
  same.fill(1);
  EXPECT_THAT(x, IsArray(xp::ones({2, 3})));

  const DeviceScope scope(device);
  Array zeros = xp::zeros({2, 3});                    // on native:1
  Array noise = xp::random::normal(0, 1, {2, 3});     // on native:1
  Array ones = xp::ones({2}, Dtype::kFloat32, host);  // on native:0
  EXPECT_EQ(zeros.device(), device);
  EXPECT_EQ(noise.device(), device);
  EXPECT_EQ(ones.device(), host);
  std::thread([&] { EXPECT_EQ(current_device(), host); }).join();

  Array doubled = x * 2 + 1;  // on native:0, while native:1 is current
  EXPECT_EQ(doubled.device(), host);
  EXPECT_THAT(doubled, IsArray(xp::full({2, 3}, 3.0)));

  ::testing::internal::CaptureStdout();
  try {
    x + there;
  } catch (const DeviceError& error) {
    std::cout << error.what() << '\n';
  }
  EXPECT_EQ(
      ::testing::internal::GetCapturedStdout(),
      "add: expected operands on one device, got native:0 and native:1\n");

  synchronize(device);
  Array y = softplus(there);
  synchronize(device);  // done; on native devices this does nothing
  EXPECT_EQ(y.device(), device);
}

TEST(GpuBasicsPageTest, FunctionsRunWhereTheirArgumentsAre) {
  for (const Device device : {native_device(), native_device(1)}) {
    const Array x = xp::array({-1000.0, 0.0, 1000.0}).to_device(device);
    EXPECT_EQ(softplus(x).device(), device);
    EXPECT_THAT(softplus(x), IsClose(xp::array({0.0, std::log(2.0), 1000.0})));
    const Array labels = xp::array({2, 0}).to_device(device);
    EXPECT_EQ(one_hot(labels, 3).device(), device);
    EXPECT_THAT(one_hot(labels, 3),
                IsArray(xp::array({{0, 0, 1}, {1, 0, 0}}, Dtype::kFloat32)));
  }
}

TEST(GpuBasicsPageTest, EachDeviceHasItsGenerator) {
  const auto draw = [](Device device, bool seeds) {
    const DeviceScope scope(device);
    if (seeds) xp::random::seed(0);
    return xp::random::normal(0, 1, {4});
  };
  const Array first = draw(native_device(1), true);
  const Array other = draw(native_device(), true);
  EXPECT_THAT(first, IsArray(other));
  draw(native_device(), true);
  EXPECT_THAT(draw(native_device(1), false), ::testing::Not(IsArray(first)));
}

TEST(GpuBasicsPageTest, AGpuWithoutCudaIsAnErrorThatSaysSo) {
  EXPECT_EQ(get_device(-1), native_device());
  if (backend_table(Backend::kCuda) != nullptr) GTEST_SKIP() << "with CUDA";
  std::string text;
  try {
    xp::zeros({2}, Dtype::kFloat32, Device::parse("cuda:0"));
  } catch (const DeviceError& error) {
    text = error.what();
  }
  EXPECT_THAT(text, HasSubstr("build with --config=cuda"));
}

TEST(GpuBasicsPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/gpu_basics.md",
                                       "docs/guide/gpu_basics_md_test.cc", 9);
}

}  // namespace
