// The dtypes of ufuncs' results: every pair of dtypes in NumPy 1.24's tables,
// including Python numbers, and bfloat16, which NumPy lacks.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/result_type.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/statistics/cumulative.h"
#include "catena/array/testing/ufunc_names.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/device_test.h"

namespace catena {
namespace {

namespace xp = catena::array;

using catena::testing::binary_ufuncs;

// What has one operand: ufuncs, and reductions of an array.
using Unary = std::function<Array(const Operand&)>;

std::map<std::string, Unary> unary_operations() {
  std::map<std::string, Unary> operations(
      catena::testing::unary_ufuncs().begin(),
      catena::testing::unary_ufuncs().end());
  const auto add = [&](const std::string& name, auto reduce) {
    operations[name] = [=](const Operand& a) {
      return reduce(a.is_array() ? a.array() : xp::positive(a));
    };
  };
  add("amax", [](const Array& a) { return xp::amax(a); });
  add("amin", [](const Array& a) { return xp::amin(a); });
  add("argmax", [](const Array& a) { return xp::argmax(a); });
  add("argmin", [](const Array& a) { return xp::argmin(a); });
  add("cumprod", [](const Array& a) { return xp::cumprod(a); });
  add("cumsum", [](const Array& a) { return xp::cumsum(a); });
  add("mean", [](const Array& a) { return xp::mean(a); });
  add("prod", [](const Array& a) { return xp::prod(a); });
  add("std", [](const Array& a) { return xp::std(a); });
  add("sum", [](const Array& a) { return xp::sum(a); });
  add("var", [](const Array& a) { return xp::var(a); });
  return operations;
}

// Lines of comma-separated values without the heading.
std::vector<std::vector<std::string>> table(const std::string& name) {
  std::ifstream file(
      catena::testing::runfile("tests/golden/array/" + name + ".csv"));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::vector<std::string>& row = rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) {
      row.push_back(field);
    }
  }
  EXPECT_FALSE(rows.empty()) << name;
  return rows;
}

// Calls f with the operand of that name: an array, or a Python number.
std::string result_of(const std::string& name,
                      const std::function<Array(const Operand&)>& f) {
  try {
    if (name == "python_int") return to_string(f(2).dtype());
    if (name == "python_float") return to_string(f(1.5).dtype());
    if (name == "python_bool") return to_string(f(true).dtype());
    return to_string(f(xp::ones({2}, dtype_from_name(name))).dtype());
  } catch (const DtypeError&) {
    return "error";
  }
}

class UfuncDtypeTest : public catena::testing::DeviceTest {};

TEST_P(UfuncDtypeTest, PairsOfDtypesPromoteAsInNumpy) {
  for (const std::vector<std::string>& row : table("promotion")) {
    ASSERT_EQ(row.size(), 4u);
    ASSERT_TRUE(binary_ufuncs().contains(row[0])) << row[0];
    const xp::BinaryUfunc op = binary_ufuncs().at(row[0]);
    const std::string result = result_of(row[1], [&](const Operand& a) {
      Array y;
      // An error of the inner call is the outer's.
      const std::string dtype =
          result_of(row[2], [&](const Operand& b) { return y = op(a, b); });
      if (dtype == "error") raise<DtypeError>("refused");
      return y;
    });
    EXPECT_EQ(result, row[3])
        << row[0] << " of " << row[1] << " and " << row[2];
  }
}

TEST_P(UfuncDtypeTest, SingleDtypesGiveWhatNumpyGives) {
  const std::map<std::string, Unary> operations = unary_operations();
  for (const std::vector<std::string>& row : table("unary_dtypes")) {
    ASSERT_EQ(row.size(), 3u);
    ASSERT_TRUE(operations.contains(row[0])) << row[0];
    EXPECT_EQ(result_of(row[1], operations.at(row[0])), row[2])
        << row[0] << " of " << row[1];
  }
}

TEST_P(UfuncDtypeTest, Bfloat16PromotesAsFloat16DoesWithIntegersAndNumbers) {
  const auto with = [](const Operand& other) {
    return xp::add(xp::ones({2}, Dtype::kBFloat16), other).dtype();
  };
  EXPECT_EQ(with(2), Dtype::kBFloat16);
  EXPECT_EQ(with(1.5), Dtype::kBFloat16);
  EXPECT_EQ(with(true), Dtype::kBFloat16);
  EXPECT_EQ(with(xp::ones({2}, Dtype::kInt8)), Dtype::kBFloat16);
  EXPECT_EQ(with(xp::ones({2}, Dtype::kInt16)), Dtype::kFloat32);
  EXPECT_EQ(with(xp::ones({2}, Dtype::kInt64)), Dtype::kFloat64);
  EXPECT_EQ(with(xp::ones({2}, Dtype::kFloat16)), Dtype::kFloat32);
  EXPECT_EQ(with(xp::ones({2}, Dtype::kBFloat16)), Dtype::kBFloat16);
  EXPECT_EQ(xp::exp(xp::ones({2}, Dtype::kBFloat16)).dtype(), Dtype::kBFloat16);
}

TEST_P(UfuncDtypeTest, TwoNumbersMakeAZeroDimensionalArray) {
  EXPECT_EQ(xp::add(1, 2).dtype(), Dtype::kInt64);
  EXPECT_EQ(xp::add(1, 2).shape(), Shape());
  EXPECT_EQ(xp::add(1, 2.5).dtype(), Dtype::kFloat64);
  EXPECT_EQ(xp::add(1, 2).device(), device());
  EXPECT_EQ(xp::sqrt(4).item<double>(), 2);
}

TEST(ResultTypeTest, IsWhatAddGives) {
  EXPECT_EQ(xp::result_type(Dtype::kInt8, Dtype::kUInt8), Dtype::kInt16);
  EXPECT_EQ(xp::result_type(Dtype::kFloat32, 2.5), Dtype::kFloat32);
  EXPECT_EQ(xp::result_type(2.5, Dtype::kInt32), Dtype::kFloat64);
  EXPECT_EQ(xp::result_type(xp::ones({2}, Dtype::kInt16), 300), Dtype::kInt16);
  EXPECT_EQ(xp::result_type(1, 2), Dtype::kInt64);
  for (int a = 0; a < kDtypeCount; ++a) {
    for (int b = 0; b < kDtypeCount; ++b) {
      const auto x = static_cast<Dtype>(a);
      const auto y = static_cast<Dtype>(b);
      EXPECT_EQ(xp::result_type(x, y),
                xp::add(xp::ones({1}, x), xp::ones({1}, y)).dtype());
      EXPECT_EQ(xp::result_type(x, 1), xp::add(xp::ones({1}, x), 1).dtype());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, UfuncDtypeTest, catena::testing::every_device(),
                         catena::testing::device_name);

}  // namespace
}  // namespace catena
