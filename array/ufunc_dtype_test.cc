// The dtypes of ufuncs' results: every pair of dtypes in NumPy 1.24's tables,
// including Python numbers, and bfloat16, which NumPy lacks.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/result_type.h"
#include "catena/array/ufunc.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/device_test.h"

namespace catena {
namespace {

namespace xp = catena::array;

using Unary = xp::UnaryUfunc;
using Binary = xp::BinaryUfunc;

const std::map<std::string, Binary> kBinary = {
    {"add", xp::add},
    {"multiply", xp::multiply},
    {"true_divide", xp::true_divide},
    {"floor_divide", xp::floor_divide},
    {"power", xp::power},
    {"maximum", xp::maximum},
    {"equal", xp::equal},
    {"less", xp::less},
    {"greater_equal", xp::greater_equal},
};

const std::map<std::string, Unary> kUnary = {
    {"absolute", xp::absolute},
    {"exp", xp::exp},
    {"floor", xp::floor},
    {"invert", xp::invert},
    {"sin", xp::sin},
    {"isnan", xp::isnan},
    {"logical_not", xp::logical_not},
    {"negative", xp::negative},
    {"sign", xp::sign},
    {"sqrt", xp::sqrt},
    {"square", xp::square},
};

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
  const auto rows = table("promotion");
  EXPECT_EQ(rows.size(), 1944u);
  for (const std::vector<std::string>& row : rows) {
    const Binary op = kBinary.at(row[0]);
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
  int compared = 0;
  for (const std::vector<std::string>& row : table("unary_dtypes")) {
    const auto op = kUnary.find(row[0]);
    if (op == kUnary.end()) continue;  // reductions and the like
    ++compared;
    EXPECT_EQ(result_of(row[1], op->second), row[2])
        << row[0] << " of " << row[1];
  }
  EXPECT_EQ(compared, 11 * 12);
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
