#include "catena/tests/testing/device_comparison.h"

#include <gtest/gtest.h>

#include <exception>
#include <optional>
#include <typeinfo>

#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"
#include "catena/array/core/error.h"

namespace catena::testing {
namespace {

std::vector<Device> other_devices() {
  std::vector<Device> devices = {native_device(1)};
  const BackendTable* cuda = backend_table(Backend::kCuda);
  if (cuda != nullptr && cuda->device_count() > 0) {
    devices.push_back(cuda_device());
  }
  return devices;
}

// The result of a body on a device: arrays or an error.
struct Outcome {
  std::vector<Array> arrays;
  const std::type_info* error = nullptr;
  std::string message;
};

Outcome run_on(Device device, const DeviceListBody& body) {
  const DeviceScope scope(device);
  Outcome outcome;
  try {
    outcome.arrays = body();
  } catch (const Error& error) {
    outcome.error = &typeid(error);
    outcome.message = error.what();
  }
  return outcome;
}

void fail(const SourceLocation& where, const std::string& text) {
  ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << text;
}

std::string tell(const Outcome& outcome) {
  return outcome.error == nullptr ? "no error" : "\"" + outcome.message + "\"";
}

// Calls `compare(other, native)` for the arrays of each other device.
void compare_devices(
    const DeviceListBody& body, const ComparisonOptions& options,
    const SourceLocation& where,
    const std::function<void(const std::vector<Array>&,
                             const std::vector<Array>&)>& compare) {
  const Outcome expected = run_on(native_device(), body);
  for (const Device device : other_devices()) {
    SCOPED_TRACE("on " + device.name() + " compared with native:0");
    const Outcome actual = run_on(device, body);
    if (actual.error != nullptr || expected.error != nullptr) {
      const bool same = actual.error != nullptr && expected.error != nullptr &&
                        *actual.error == *expected.error;
      if (!same || !options.accept_error) {
        fail(where, str("expected ", same ? "no error" : "the same outcome",
                        ", got ", tell(actual), " and ", tell(expected)));
      }
      continue;
    }
    for (size_t k = 0; options.type_check && k < actual.arrays.size() &&
                       k < expected.arrays.size();
         ++k) {
      if (actual.arrays[k].dtype() != expected.arrays[k].dtype()) {
        fail(where, str("expected one dtype, got ", actual.arrays[k].dtype(),
                        " and ", expected.arrays[k].dtype()));
      }
    }
    compare(actual.arrays, expected.arrays);
  }
}

template <class Compare>
void compare_one(const DeviceBody& body, const ComparisonOptions& options,
                 const SourceLocation& where, const Compare& compare) {
  compare_devices([&] { return std::vector<Array>{body()}; }, options, where,
                  [&](const std::vector<Array>& x,
                      const std::vector<Array>& y) { compare(x[0], y[0]); });
}

}  // namespace

void numpy_cupy_allclose(const DeviceBody& body, double rtol, double atol,
                         const ComparisonOptions& options,
                         const SourceLocation& where) {
  compare_one(body, options, where, [&](const Array& x, const Array& y) {
    assert_allclose(
        x, y, {.rtol = rtol, .atol = atol, .err_msg = options.err_msg}, where);
  });
}

void numpy_cupy_array_almost_equal(const DeviceBody& body, int decimal,
                                   const ComparisonOptions& options,
                                   const SourceLocation& where) {
  compare_one(body, options, where, [&](const Array& x, const Array& y) {
    assert_array_almost_equal(x, y, decimal, {.err_msg = options.err_msg},
                              where);
  });
}

void numpy_cupy_array_almost_equal_nulp(const DeviceBody& body, double nulp,
                                        const ComparisonOptions& options,
                                        const SourceLocation& where) {
  compare_one(body, options, where, [&](const Array& x, const Array& y) {
    assert_array_almost_equal_nulp(x, y, nulp, where);
  });
}

void numpy_cupy_array_max_ulp(const DeviceBody& body, int64_t maxulp,
                              const ComparisonOptions& options,
                              const SourceLocation& where) {
  compare_one(body, options, where, [&](const Array& x, const Array& y) {
    assert_array_max_ulp(x, y, maxulp, std::nullopt, where);
  });
}

void numpy_cupy_array_equal(const DeviceBody& body,
                            const ComparisonOptions& options,
                            const SourceLocation& where) {
  compare_one(body, options, where, [&](const Array& x, const Array& y) {
    assert_array_equal(x, y, {.err_msg = options.err_msg}, where);
  });
}

void numpy_cupy_array_list_equal(const DeviceListBody& body,
                                 const ComparisonOptions& options,
                                 const SourceLocation& where) {
  compare_devices(
      body, options, where,
      [&](const std::vector<Array>& x, const std::vector<Array>& y) {
        assert_array_list_equal(x, y, {.err_msg = options.err_msg}, where);
      });
}

void numpy_cupy_array_less(const DeviceBody& body,
                           const ComparisonOptions& options,
                           const SourceLocation& where) {
  compare_one(body, options, where, [&](const Array& x, const Array& y) {
    assert_array_less(x, y, {.err_msg = options.err_msg}, where);
  });
}

void numpy_cupy_raises(const std::function<void()>& body,
                       const SourceLocation& where) {
  const DeviceListBody call = [&] {
    body();
    return std::vector<Array>();
  };
  const Outcome expected = run_on(native_device(), call);
  for (const Device device : other_devices()) {
    SCOPED_TRACE("on " + device.name() + " compared with native:0");
    const Outcome actual = run_on(device, call);
    if (actual.error == nullptr || expected.error == nullptr ||
        *actual.error != *expected.error) {
      fail(where, str("expected errors of one type, got ", tell(actual),
                      " and ", tell(expected)));
    }
  }
}

}  // namespace catena::testing
