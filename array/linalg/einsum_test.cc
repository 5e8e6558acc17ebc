#include "catena/array/linalg/einsum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;

class EinsumGolden : public testing::GoldenDeviceTest {};

TEST_P(EinsumGolden, AgreesWithNumPy) {
  std::vector<Array> operands;
  for (const Array& a : golden().inputs()) {
    operands.push_back(a.to_device(device()));
  }
  const Array y = einsum(golden().attr<std::string>("subscripts"), operands);
  EXPECT_THAT(y, golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(
    All, EinsumGolden,
    testing::every_device_and_case("array/linalg",
                                   [](const testing::GoldenCase& golden) {
                                     return golden.attr<std::string>("op") ==
                                            "einsum";
                                   }),
    testing::golden_device_name);

class EinsumTest : public testing::DeviceTest {};

// 0 to 4, so that sums are exact.
Array counted_array(const Shape& shape, Dtype dtype = Dtype::kFloat64) {
  static std::mt19937 random(3);
  std::vector<double> values(size_of(shape));
  for (double& value : values) value = static_cast<int>(random() % 5);
  return array(values, shape).astype(dtype);
}

// The sum as the definition reads: a loop over every letter's extent.
Array by_definition(const std::vector<std::string>& terms,
                    const std::string& result,
                    const std::vector<Array>& operands) {
  std::map<char, int64_t> extents;
  std::vector<Array> host;
  for (size_t i = 0; i < terms.size(); ++i) {
    host.push_back(operands[i].to_device(native_device()).copy());
    for (size_t axis = 0; axis < terms[i].size(); ++axis) {
      const int64_t own = operands[i].shape()[static_cast<int>(axis)];
      int64_t& extent = extents.try_emplace(terms[i][axis], 1).first->second;
      if (own != 1) extent = own;
    }
  }
  int64_t count = 1;
  for (const auto& [letter, extent] : extents) count *= extent;
  Shape shape;
  for (const char letter : result) shape.push_back(extents[letter]);
  const Array out = zeros(shape, Dtype::kFloat64, native_device());
  std::map<char, int64_t> index;
  const auto offset = [&](const std::string& letters, const Shape& extent) {
    int64_t at = 0;
    for (size_t axis = 0; axis < letters.size(); ++axis) {
      const int64_t own = extent[static_cast<int>(axis)];
      at = at * own + (own == 1 ? 0 : index[letters[axis]]);
    }
    return at;
  };
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (const auto& [letter, extent] : extents) {
      index[letter] = rest % extent;
      rest /= extent;
    }
    double product = 1;
    for (size_t k = 0; k < terms.size(); ++k) {
      product *= host[k].data<double>()[offset(terms[k], host[k].shape())];
    }
    out.data<double>()[offset(result, shape)] += product;
  }
  return out;
}

std::string join(const std::vector<std::string>& terms) {
  std::string text = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) text += "," + terms[i];
  return text;
}

TEST_P(EinsumTest, AgreesWithNestedLoopsOnRandomEquations) {
  std::mt19937 random(20);
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  const std::string letters = "abcdeF";
  for (int trial = 0; trial < 400; ++trial) {
    std::map<char, int64_t> extents;
    for (const char letter : letters) extents[letter] = 1 + below(4);
    std::vector<std::string> terms(1 + below(4));
    std::vector<Array> operands;
    std::string used;
    for (std::string& term : terms) {
      std::map<char, bool> broadcasts;
      Shape shape;
      for (int axes = below(5); axes > 0; --axes) {
        const char letter = letters[below(static_cast<int>(letters.size()))];
        if (!broadcasts.contains(letter)) broadcasts[letter] = below(6) == 0;
        term.push_back(letter);
        shape.push_back(broadcasts[letter] ? 1 : extents[letter]);
      }
      used += term;
      Array a = counted_array(shape);
      // In another layout now and then.
      if (below(3) == 0) a = a.T().copy().T();
      if (!shape.empty() && below(4) == 0) {
        a = a[{Slice({}, {}, -1)}];
      }
      operands.push_back(a);
    }
    std::sort(used.begin(), used.end());
    std::string once = used;
    once.erase(std::unique(once.begin(), once.end()), once.end());
    // Any letters in any order; those that occur once when there is no arrow.
    std::string result;
    const bool is_implicit = below(4) == 0;
    for (const char letter : once) {
      const bool is_single = std::count(used.begin(), used.end(), letter) == 1;
      if (is_implicit ? is_single : below(2) == 0) result.push_back(letter);
    }
    if (!is_implicit) std::shuffle(result.begin(), result.end(), random);
    const std::string text = join(terms) + (is_implicit ? "" : "->" + result);
    SCOPED_TRACE(text);
    EXPECT_THAT(einsum(text, operands),
                IsArray(by_definition(terms, result, operands)));
  }
}

TEST_P(EinsumTest, EllipsisAxesBroadcast) {
  const Array a = counted_array({2, 1, 3, 4});
  const Array b = counted_array({5, 4, 6});
  EXPECT_THAT(einsum("...ij,...jk->...ik", {a, b}), IsArray(matmul(a, b)));
  EXPECT_THAT(einsum("...ij,...jk", {a, b}), IsArray(matmul(a, b)));
  EXPECT_THAT(einsum(" ... i j , ... j k -> i k ... ", {a, b}),
              IsArray(matmul(a, b).transpose({2, 3, 0, 1})));
  EXPECT_THAT(einsum("i...->...", {b}), IsArray(sum(b, {.axis = 0})));
  EXPECT_THAT(einsum("...,...", {b, array(2.0)}), IsArray(multiply(b, 2)));
  EXPECT_THAT(einsum("i...i", {counted_array({3, 2, 3})}).shape(), Shape({2}));
  EXPECT_THAT(einsum("...->...", {b}), IsArray(b));
}

TEST_P(EinsumTest, OneOperandThatIsNotSummedGivesAView) {
  const Array a = zeros({3, 3});
  einsum("ii->i", {a}).fill(1);
  EXPECT_THAT(a, IsArray(identity(3)));
  EXPECT_EQ(einsum("ij->ji", {a}).raw_data(), a.raw_data());
}

TEST_P(EinsumTest, KeepsThePromotedDtype) {
  const Array a = counted_array({3, 3}, Dtype::kInt8);
  EXPECT_THAT(einsum("ii", {full({4, 4}, 100, Dtype::kInt8)}),
              IsArray(full({}, -112, Dtype::kInt8)));  // 400 wraps round
  EXPECT_EQ(einsum("ij,ij", {a, a.astype(Dtype::kFloat32)}).dtype(),
            Dtype::kFloat32);
  EXPECT_THAT(einsum("ij->i", {array({{true, false}, {false, false}})}),
              IsArray(array({true, false})));
  const Array half = counted_array({4, 9}, Dtype::kFloat16);
  EXPECT_THAT(einsum("ij,ij->i", {half, half}),
              IsArray(sum(square(half), {.axis = 1})));
}

TEST_P(EinsumTest, PairsAreTakenInTheOrderThatSavesMemory) {
  // From the left, the first product alone would take 32 GiB.
  const int64_t n = 2048;
  const Array row = ones({n}, Dtype::kFloat32);
  const Array matrix = ones({n, n}, Dtype::kFloat32);
  const Array y = einsum("i,jk,l,ij,kl->", {row, matrix, row, matrix, matrix});
  const double terms = 17592186044416.0;  // n^4
  EXPECT_THAT(y, IsClose(full({}, terms, Dtype::kFloat32)));
}

TEST_P(EinsumTest, NothingToSumGivesZeros) {
  EXPECT_THAT(einsum("ij,jk->ik", {zeros({2, 0}), zeros({0, 3})}),
              IsArray(zeros({2, 3})));
  EXPECT_THAT(einsum("i->", {zeros({0})}), IsArray(zeros({})));
  EXPECT_EQ(
      einsum("bij,bjk->bik", {zeros({0, 2, 3}), zeros({0, 3, 4})}).shape(),
      Shape({0, 2, 4}));
}

TEST_P(EinsumTest, TextsOutsideTheGrammarAreRefused) {
  const Array a = zeros({2, 3});
  const auto refuses = [&](const char* text, const char* reason) {
    SCOPED_TRACE(text);
    EXPECT_THAT(error_of<ValueError>([&] {
                  einsum(text, {a, a});
                }),
                HasSubstr(reason));
  };
  refuses("i1,ij", "expected letters");
  refuses("ij..,ij", "expected letters");
  refuses("...i...,ij", "at most one");
  refuses("ij,ij->i->j", "expected letters");
  refuses("ij", "expected 1 operands for \"ij\", got 2");
  refuses("ij,ij,ij", "expected 3 operands");
  refuses("ij,ij->k", "got 'k'");
  refuses("ij,ij->ii", "'i' twice");
  refuses("...j,...j->j", "expected \"...\" after the arrow");
}

TEST_P(EinsumTest, ShapesThatDoNotFitAreRefused) {
  const Array a = zeros({2, 3});
  EXPECT_THAT(error_of<ShapeError>([&] {
                einsum("ij,jk", {a, a});
              }),
              "einsum: expected extents of 1 or 3 along 'j' of \"ij,jk\", "
              "got shape (2, 3) for operand 1");
  EXPECT_THAT(error_of<ShapeError>([&] { einsum("ii", {a}); }),
              HasSubstr("operand 0 of \"ii\" has "
                        "twice, got shape (2, 3)"));
  EXPECT_THAT(error_of<ShapeError>([&] { einsum("i", {a}); }),
              HasSubstr("expected 1 axes"));
  EXPECT_THAT(error_of<ShapeError>([&] { einsum("...ijk", {a}); }),
              HasSubstr("expected 3 or more axes"));
  EXPECT_THAT(error_of<ShapeError>([] {
                const Array x = zeros({1, 1, 1, 1, 1});
                einsum("abcde,fghij", {x, x});
              }),
              HasSubstr("at most 8 axes, got 10"));
}

INSTANTIATE_TEST_SUITE_P(All, EinsumTest, testing::every_device(),
                         testing::device_name);

TEST(EinsumDeviceTest, OperandsMustBeOnOneDevice) {
  const Array a = zeros({3});
  EXPECT_THAT(error_of<DeviceError>([&] {
                einsum("i,i", {a, a.to_device(native_device(1))});
              }),
              HasSubstr("einsum"));
}

}  // namespace
}  // namespace catena::array
