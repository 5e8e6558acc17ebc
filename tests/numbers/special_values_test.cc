// Every ufunc for NaN, infinities, zeros of both signs, denormals, the largest
// and the smallest numbers, and all pairs of them, with the kernels of each
// instruction set.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catena/array/all.h"
#include "catena/array/testing/ufunc_names.h"
#include "catena/tests/numbers/numpy_calls.h"
#include "catena/tests/support/cpu_target_test.h"
#include "catena/tests/support/runfiles.h"

namespace catena::testing {
namespace {

namespace xp = catena::array;

// Those that round, to the ULPs that ufunc.h promises; NumPy's own results are
// within 4 ULP, too.
const std::set<std::string, std::less<>> kRounded = {
    "arccos",  "arccosh",    "arcsin", "arcsinh", "arctan",  "arctan2",
    "arctanh", "cbrt",       "cos",    "cosh",    "deg2rad", "exp",
    "exp2",    "expm1",      "hypot",  "log",     "log10",   "log1p",
    "log2",    "logaddexp",  "power",  "rad2deg", "sigmoid", "sin",
    "sinh",    "logaddexp2", "tan",    "tanh"};

// Which of 0 and -0 they give for both depends in NumPy on the dtype and on the
// processor.
const std::set<std::string, std::less<>> kOfEqualZeros = {
    "clip", "fmax", "fmin", "maximum", "minimum", "relu"};

NumpyRoutine routine(const std::string& name,
                     std::function<Arrays(const Arrays&)> f) {
  return {
      [f = std::move(f)](const NumpyCall&, const Arrays& in) { return f(in); },
      {.ulps = kRounded.contains(name) ? 4 : 0,
       .any_zero = kOfEqualZeros.contains(name)}};
}

// Two names of one ufunc: the first has no calls of its own.
const std::map<std::string, std::string> kAliases = {
    {"abs", "absolute"},    {"degrees", "rad2deg"},    {"mod", "remainder"},
    {"radians", "deg2rad"}, {"true_divide", "divide"},
};

NumpyRoutines ufuncs() {
  NumpyRoutines rows;
  for (const auto& [name, op] : unary_ufuncs()) {
    rows[name] = routine(
        name, [op = op](const Arrays& in) -> Arrays { return {op(in[0])}; });
  }
  for (const auto& [name, op] : binary_ufuncs()) {
    rows[name] = routine(name, [op = op](const Arrays& in) -> Arrays {
      return {op(in[0], in[1])};
    });
  }
  for (const auto& [name, op] : ternary_ufuncs()) {
    rows[name] = routine(name, [op = op](const Arrays& in) -> Arrays {
      return {op(in[0], in[1], in[2])};
    });
  }
  const auto add_pair = [&](const std::string& name, auto call) {
    rows[name] = routine(name, [call](const Arrays& in) -> Arrays {
      const auto [first, second] = call(in);
      return {first, second};
    });
  };
  add_pair("frexp", [](const Arrays& in) { return xp::frexp(in[0]); });
  add_pair("modf", [](const Arrays& in) { return xp::modf(in[0]); });
  add_pair("divmod", [](const Arrays& in) { return xp::divmod(in[0], in[1]); });
  rows["where"] = routine("where", [](const Arrays& in) -> Arrays {
    return {xp::where(in[0], in[1], in[2])};
  });
  for (const auto& [alias, name] : kAliases) rows.erase(alias);
  return rows;
}

// 1 / base^-exponent, truncated, for negative exponents.
Array power_of(const Array& base, const Array& exponent) {
  const Array natural = xp::power(base, xp::maximum(exponent, 0));
  const Array sign = xp::where(xp::bitwise_and(exponent, 1), base, 1);
  const Array inverse = xp::where(xp::equal(xp::absolute(base), 1), sign, 0);
  return xp::where(xp::less(exponent, 0), inverse, natural);
}

std::vector<NumpyDifference> differences() {
  return {
      {"reciprocal of an integer 0 is 0",
       "NumPy casts infinity to an integer, which C++ leaves undefined",
       [](const NumpyCall& call) {
         return call.routine == "reciprocal" &&
                !is_floating(call.inputs[0].dtype());
       },
       [](const NumpyCall& call) -> Arrays {
         const Array is_zero = xp::equal(call.inputs[0], 0);
         return {xp::where(is_zero, call.inputs[0], call.outputs[0])};
       }},
      {"powers with negative exponents in an integer array are truncated",
       "an error would have to wait for the device; CuPy gives them, too",
       [](const NumpyCall& call) {
         return call.routine == "power" && !call.error.empty();
       },
       [](const NumpyCall& call) -> Arrays {
         return {power_of(call.inputs[0], call.inputs[1])};
       }},
      {"nextafter of 0 and -0 in float16 is the second",
       "so it is in C and for NumPy's float32; its float16 gives the first",
       [](const NumpyCall& call) {
         return call.routine == "nextafter" &&
                call.inputs[0].dtype() == Dtype::kFloat16;
       },
       [](const NumpyCall& call) -> Arrays {
         const Array is_equal = xp::equal(call.inputs[0], call.inputs[1]);
         return {xp::where(is_equal, call.inputs[1], call.outputs[0])};
       }},
  };
}

class SpecialValuesTest : public CpuTargetTest {};

TEST_P(SpecialValuesTest, AllPairsInAnyLayoutGiveWhatNumpyGives) {
  expect_numpys_results("ufuncs", ufuncs(), differences());
}

TEST(SpecialValuesTableTest, AliasesAreTheSameUfunc) {
  for (const auto& [alias, name] : kAliases) {
    const auto unary = unary_ufuncs().find(alias);
    if (unary != unary_ufuncs().end()) {
      EXPECT_EQ(unary->second.name(), unary_ufuncs().at(name).name());
    } else {
      EXPECT_EQ(binary_ufuncs().at(alias).name(),
                binary_ufuncs().at(name).name());
    }
  }
}

TEST(SpecialValuesTableTest, HasEachUfuncOfTheApi) {
  const NumpyRoutines rows = ufuncs();
  std::ifstream file(runfile("docs/api.csv"));
  int found = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string id;
    std::string symbol;
    std::string header;
    std::getline(fields, id, ',');
    std::getline(fields, symbol, ',');
    std::getline(fields, header, ',');
    if (header != "array/ufunc/ufunc.h") continue;
    const std::string name = symbol.substr(symbol.rfind(':') + 1);
    ++found;
    EXPECT_TRUE(rows.contains(name) || kAliases.contains(name)) << name;
  }
  EXPECT_GT(found, 70);
}

// How the results of n elements at a time differ from those of all at once; of
// arrays without axes for 1, and of no elements for 0.
std::string difference_of_parts(const NumpyCall& call, const NumpyRoutine& row,
                                int64_t n) {
  const Shape shape = call.outputs[0].shape();
  Arrays inputs;  // all of them, and again as many as a part may need
  for (const Array& input : call.inputs) {
    const Array all = input.broadcast_to(shape).flatten();
    inputs.push_back(xp::concatenate(Arrays(1 + n / all.size() + 1, all)));
  }
  const Arrays expected = row.run(call, inputs);
  const Shape part_shape = n == 1 ? Shape() : Shape{n};
  for (int64_t first = 0; first < size_of(shape);
       first += std::max<int64_t>(n, 1)) {
    const auto part_of = [&](const Array& a) {
      return a[{Slice(first, first + n)}].reshape(part_shape);
    };
    Arrays parts;
    for (const Array& input : inputs) parts.push_back(part_of(input));
    const Arrays results = row.run(call, parts);
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string text = difference(results[i], part_of(expected[i]));
      if (!text.empty()) return str("from ", first, ": ", text);
    }
    if (n == 0) break;
  }
  return "";
}

// A kernel computes whole vectors and a rest, from any address.
TEST_P(SpecialValuesTest, AnyNumberOfElementsGivesTheSameBits) {
  const NumpyRoutines rows = ufuncs();
  for (const NumpyCall& call : numpy_calls("ufuncs")) {
    if (!call.error.empty()) continue;
    for (const int64_t n : {0, 1, 7, 33, 100}) {
      EXPECT_EQ(difference_of_parts(call, rows.find(call.routine)->second, n),
                "")
          << call << ", " << n << " elements";
    }
  }
}

TEST_P(SpecialValuesTest, ExtremesOfNegativeZerosAreNegative) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    const Array zeros = xp::full({35}, -0.0, dtype);
    for (const char* name : {"fmax", "fmin", "maximum", "minimum"}) {
      EXPECT_EQ(difference(binary_ufuncs().at(name)(zeros, zeros), zeros), "")
          << name << ' ' << dtype;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpecialValuesTest, every_cpu_target(),
                         cpu_target_name);

}  // namespace
}  // namespace catena::testing
