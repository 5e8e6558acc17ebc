#include "catena/tests/testing/device_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"

namespace catena::testing {
namespace {

using array::full;

// Returns `first` on native:0 and `other` on the other devices.
template <class T>
DeviceBody differing(T first, T other) {
  return [=] {
    return full({2}, current_device() == native_device() ? first : other);
  };
}

// Expects a failure for every device but native:0, each with the text and the
// device's name.
void expect_failures(const std::function<void()>& compare,
                     const std::string& text) {
  using Reporter = ::testing::ScopedFakeTestPartResultReporter;
  ::testing::TestPartResultArray failures;
  {
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    compare();
  }
  std::vector<std::string> devices = {"native:1"};
  const BackendTable* const cuda = backend_table(Backend::kCuda);
  if (cuda != nullptr && cuda->device_count() > 0) devices.push_back("cuda:0");
  ASSERT_EQ(failures.size(), static_cast<int>(devices.size()));
  for (int i = 0; i < failures.size(); ++i) {
    EXPECT_THAT(
        failures.GetTestPartResult(i).message(),
        ::testing::AllOf(::testing::HasSubstr(text),
                         ::testing::HasSubstr("on " + devices[i] +
                                              " compared with native:0")));
  }
}

TEST(DeviceComparisonTest, PassesWhenDevicesAgree) {
  const DeviceBody same = differing(1.5, 1.5);
  numpy_cupy_allclose(same);
  numpy_cupy_array_almost_equal(same);
  numpy_cupy_array_almost_equal_nulp(same);
  numpy_cupy_array_max_ulp(same);
  numpy_cupy_array_equal(same);
  numpy_cupy_array_list_equal([&] { return std::vector{same(), same()}; });
  numpy_cupy_array_less(differing(2, 1));
}

TEST(DeviceComparisonTest, TakesTheTolerancesOfItsName) {
  numpy_cupy_allclose(differing(1.0, 1.25), 0.25);
  numpy_cupy_allclose(differing(1.0, 1.25), 0, 0.25);
  numpy_cupy_array_almost_equal(differing(1.0, 1.1), 1);
  numpy_cupy_array_almost_equal_nulp(differing(1.0, 1.0 + 0x1p-51), 2);
  numpy_cupy_array_max_ulp(differing(1.0, 1.0 + 0x1p-51), 2);
}

TEST(DeviceComparisonTest, NamesAssertionAndDevice) {
  expect_failures([&] { numpy_cupy_allclose(differing(1.0, 1.25)); },
                  "assert_allclose (rtol 1e-07, atol 0)");
  expect_failures([&] { numpy_cupy_array_equal(differing(1, 2)); },
                  "assert_array_equal");
  expect_failures([&] { numpy_cupy_array_almost_equal(differing(1.0, 1.1)); },
                  "assert_array_almost_equal");
  expect_failures(
      [&] { numpy_cupy_array_almost_equal_nulp(differing(1.0, 1.1)); },
      "assert_array_almost_equal_nulp");
  expect_failures([&] { numpy_cupy_array_max_ulp(differing(1.0, 1.1)); },
                  "assert_array_max_ulp");
  expect_failures([&] { numpy_cupy_array_less(differing(1, 1)); },
                  "assert_array_less");
  expect_failures(
      [&] {
        numpy_cupy_array_list_equal(
            [] { return std::vector<Array>{differing(1, 2)()}; });
      },
      "assert_array_list_equal, array 0");
}

TEST(DeviceComparisonTest, ChecksDtypesUnlessToldNotTo) {
  const DeviceBody body = [] {
    return full(
        {1}, 1,
        current_device() == native_device() ? Dtype::kInt32 : Dtype::kInt64);
  };
  expect_failures([&] { numpy_cupy_array_equal(body); },
                  "expected one dtype, got int64 and int32");
  numpy_cupy_array_equal(body, {.type_check = false});
}

// Throws on native:0, and optionally on the others.
template <class First, class Other>
Array throwing() {
  if (current_device() == native_device()) throw First("first");
  throw Other("other");
}

TEST(DeviceComparisonTest, ErrorsOfOneTypeAgree) {
  numpy_cupy_array_equal(throwing<ShapeError, ShapeError>);
  expect_failures(
      [&] { numpy_cupy_array_equal(throwing<ShapeError, DtypeError>); },
      "expected the same outcome, got \"other\" and \"first\"");
  expect_failures(
      [&] {
        numpy_cupy_array_equal(throwing<ShapeError, ShapeError>,
                               {.accept_error = false});
      },
      "expected no error, got \"other\" and \"first\"");
}

TEST(NumpyCupyRaisesTest, WantsErrorsOfOneType) {
  numpy_cupy_raises([] { throwing<ShapeError, ShapeError>(); });
  expect_failures(
      [&] { numpy_cupy_raises([] { throwing<ShapeError, IndexError>(); }); },
      "expected errors of one type, got \"other\" and \"first\"");
  expect_failures([&] { numpy_cupy_raises([] {}); },
                  "expected errors of one type, got no error");
}

}  // namespace
}  // namespace catena::testing
