#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <functional>
#include <iosfwd>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"

// The golden files of a folder of functions, as a table of a row for each:
//
//   const GoldenFunction kFunctions[] = {
//       {"elu",
//        [](const GoldenCall& c) {
//          return elu(c[0], {.alpha = c.attr_or("alpha", 1.0)});
//        }},
//       {"relu", relu},
//   };
//
//   class ActivationGolden : public FunctionGoldenTest {};
//   TEST_P(ActivationGolden, AgreesWithChainer) { check_case(); }
//   INSTANTIATE_TEST_SUITE_P(
//       Cases, ActivationGolden,
//       every_golden_function("functions/activation", kFunctions),
//       golden_function_name);
//
//   TEST(ActivationGoldenTable, HasARowForEachFile) {
//     check_golden_table("functions/activation", kFunctions);
//   }
namespace catena::testing {

// A call of a function with what a golden case says.
class GoldenCall {
 public:
  GoldenCall(const GoldenCase& golden, Device device);

  const Variables& inputs() const { return inputs_; }
  // One of them; undefined where it was None or left out.
  Variable operator[](size_t i) const {
    return i < inputs_.size() ? inputs_[i] : Variable();
  }

  // A keyword argument, as GoldenCase has it; an Array lies on the device.
  template <class T>
  T attr(std::string_view name) const;
  template <class T>
  T attr_or(std::string_view name, T fallback) const {
    return golden_.has_attr(name) ? attr<T>(name) : fallback;
  }
  // None where it was left out or None.
  template <class T>
  std::optional<T> optional_attr(std::string_view name) const;

  const GoldenCase& golden() const { return golden_; }

  // The same call of other inputs. What it updates is not Chainer's then.
  GoldenCall with_inputs(Variables inputs) const;

  // Expects an array that the call updates in place to be what Chainer made of
  // it.
  void expect_updated(std::string_view keyword, const Array& array) const;

 private:
  const GoldenCase& golden_;
  Device device_;
  Variables inputs_;
  bool has_golden_inputs_ = true;
};

// What a row calls. Made of a function of one or two variables, or of one that
// takes a GoldenCall; the result is a Variable, or a range or tuple of them.
class GoldenCallee {
 public:
  template <class R>
  GoldenCallee(R (*unary)(const Variable&))
      : GoldenCallee([unary](const GoldenCall& c) { return unary(c[0]); }) {}
  template <class R>
  GoldenCallee(R (*binary)(const Variable&, const Variable&))
      : GoldenCallee(
            [binary](const GoldenCall& c) { return binary(c[0], c[1]); }) {}
  template <std::invocable<const GoldenCall&> F>
  GoldenCallee(F function)
      : call_([function = std::move(function)](const GoldenCall& c) {
          return as_list(function(c));
        }) {}

  std::vector<Variable> operator()(const GoldenCall& c) const {
    return call_(c);
  }

 private:
  static std::vector<Variable> as_list(const Variable& y) { return {y}; }
  template <std::ranges::range Range>
  static std::vector<Variable> as_list(const Range& ys) {
    return {ys.begin(), ys.end()};
  }
  template <class... Y>
  static std::vector<Variable> as_list(const std::tuple<Y...>& ys) {
    return std::apply([](const Y&... y) { return std::vector<Variable>{y...}; },
                      ys);
  }

  std::function<std::vector<Variable>(const GoldenCall&)> call_;
};

struct GoldenFunction {
  std::string_view file;  // of the folder, without .npz
  GoldenCallee call;
};

// A case of the file of a row, on a device.
struct GoldenFunctionCase {
  const GoldenFunction* function;
  GoldenCase golden;
  Device device;
};
std::ostream& operator<<(std::ostream& os, const GoldenFunctionCase& c);

class FunctionGoldenTest
    : public DeviceGuardedTest,
      public ::testing::WithParamInterface<GoldenFunctionCase> {
 protected:
  void SetUp() override { enter(GetParam().device); }

  // Compares outputs, gradients where the case has them, and second order
  // gradients where the case has those. Nothing may be left of it afterwards.
  void check_case();

 private:
  const GoldenCase& golden() const { return GetParam().golden; }
  GoldenCall make_call() const { return {golden(), GetParam().device}; }
  void check_forward();
  void check_gradients();
  void check_second_order();
  // The case's, on the devices of the outputs.
  std::vector<Variable> grad_outputs(
      const std::vector<Variable>& outputs) const;
  // A gradient the case has no number for must be absent or zero.
  void expect_gradient(const Variable& gradient, const std::string& key);
};

// Those of all rows, in the order of the table and of the files; none for a row
// without a file, which check_golden_table names.
std::vector<GoldenFunctionCase> golden_function_cases(
    std::string_view folder, std::span<const GoldenFunction> table);

inline auto every_golden_function(std::string_view folder,
                                  std::span<const GoldenFunction> table) {
  return ::testing::ValuesIn(golden_function_cases(folder, table));
}

// "relu_float32_native0": file, case and device.
std::string golden_function_name(
    const ::testing::TestParamInfo<GoldenFunctionCase>& info);

// Fails for each golden file of the folder that has no row, and for each row
// that has no file or one without cases.
void check_golden_table(std::string_view folder,
                        std::span<const GoldenFunction> table);

template <class T>
T GoldenCall::attr(std::string_view name) const {
  if constexpr (std::same_as<T, Array>) {
    return golden_.attr<Array>(name).to_device(device_);
  } else {
    return golden_.attr<T>(name);
  }
}

template <class T>
std::optional<T> GoldenCall::optional_attr(std::string_view name) const {
  if (!golden_.has_attr(name)) return std::nullopt;
  if (golden_.attr_is_text(name) && golden_.attr<std::string>(name) == "None") {
    return std::nullopt;
  }
  return attr<T>(name);
}

}  // namespace catena::testing
