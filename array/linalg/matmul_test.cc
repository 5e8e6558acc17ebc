#include "catena/array/linalg/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::array {
namespace {

using ::catena::testing::error_of;
using testing::DeviceDtypeTest;
using testing::DeviceTest;
using testing::every_device;
using testing::GoldenCase;
using testing::GoldenDeviceTest;
using ::testing::HasSubstr;
using testing::IsArray;

bool is_product(const GoldenCase& golden) {
  const std::string op = golden.attr<std::string>("op");
  return op == "dot" || op == "matmul";
}

class MatmulGolden : public GoldenDeviceTest {};

TEST_P(MatmulGolden, AgreesWithNumPy) {
  const Array a = array("in0");
  const Array b = array("in1");
  const Array y =
      golden().attr<std::string>("op") == "dot" ? dot(a, b) : matmul(a, b);
  EXPECT_THAT(y, golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(All, MatmulGolden,
                         testing::every_device_and_case("array/linalg",
                                                        is_product),
                         testing::golden_device_name);

// 0, 1 and 2, so that sums are exact in every dtype that is not tiny.
Array small_integers(const Shape& shape, Dtype dtype) {
  static std::mt19937 random(11);
  std::vector<double> values(size_of(shape));
  for (double& value : values) value = static_cast<int>(random() % 3);
  return array(values, shape).astype(dtype);
}

// The product of two matrices as the definition reads.
Array by_definition(const Array& a, const Array& b) {
  const int64_t m = a.shape()[0];
  const int64_t k = a.shape()[1];
  const int64_t n = b.shape()[1];
  const auto on_host = [](const Array& x) {
    return x.to_device(native_device()).astype(Dtype::kFloat64).contiguous();
  };
  const Array x = on_host(a);
  const Array y = on_host(b);
  const Array product = zeros({m, n}).to_device(native_device());
  // Tests are not optimized: what is fetched once is not fetched each time.
  const double* const left = x.data<double>();
  const double* const right = y.data<double>();
  double* const sums = product.data<double>();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t l = 0; l < k; ++l) {
      const double factor = left[i * k + l];
      const double* const row = right + l * n;
      for (int64_t j = 0; j < n; ++j) sums[i * n + j] += factor * row[j];
    }
  }
  return product.astype(promote(a.dtype(), b.dtype())).to_device(a.device());
}

// A matrix of these extents that lies in memory in some way.
struct Layout {
  const char* name;
  Array (*make)(int64_t rows, int64_t columns, Dtype dtype);
};

const Layout kLayouts[] = {
    {"plain",
     [](int64_t m, int64_t n, Dtype t) {
       return small_integers({m, n}, t);
     }},
    {"transposed",
     [](int64_t m, int64_t n, Dtype t) {
       return small_integers({n, m}, t).T();
     }},
    {"part of wider rows",
     [](int64_t m, int64_t n, Dtype t) -> Array {
       return small_integers({m, n + 3}, t)[{ellipsis, Slice(2, n + 2)}];
     }},
    {"every other row",
     [](int64_t m, int64_t n, Dtype t) -> Array {
       return small_integers({2 * m, n}, t)[{Slice({}, {}, 2)}];
     }},
    {"every other column",
     [](int64_t m, int64_t n, Dtype t) -> Array {
       return small_integers({m, 2 * n}, t)[{ellipsis, Slice({}, {}, 2)}];
     }},
    {"reversed",
     [](int64_t m, int64_t n, Dtype t) -> Array {
       return small_integers({m, n}, t)[{Slice({}, {}, -1), Slice({}, {}, -1)}];
     }},
    {"one row repeated",
     [](int64_t m, int64_t n, Dtype t) -> Array {
       return small_integers({1, n}, t).broadcast_to({m, n});
     }},
    {"one column repeated",
     [](int64_t m, int64_t n, Dtype t) {
       return small_integers({m, 1}, t).broadcast_to({m, n});
     }},
};

class MatmulDtypes : public DeviceDtypeTest {};

TEST_P(MatmulDtypes, EveryLayoutGivesTheSameProduct) {
  // Tiny, narrow, and large enough for each of the libraries.
  const Shape sizes[] = {{1, 1, 1},     {2, 3, 4},    {7, 1, 5},   {1, 9, 6},
                         {6, 8, 1},     {17, 19, 23}, {64, 5, 33}, {70, 71, 72},
                         {300, 7, 150}, {1, 70, 71},  {70, 1, 71}, {1, 1, 72}};
  for (const Shape& size : sizes) {
    // An emulated device is slow.
    if (!device().is_native() && size_of(size) > 10000) continue;
    for (const Layout& left : kLayouts) {
      for (const Layout& right : kLayouts) {
        SCOPED_TRACE(std::string(left.name) + " by " + right.name + " " +
                     to_string(size));
        const Array a = left.make(size[0], size[2], dtype());
        const Array b = right.make(size[2], size[1], dtype());
        EXPECT_THAT(matmul(a, b), IsArray(by_definition(a, b)));
      }
    }
  }
}

TEST_P(MatmulDtypes, StacksBroadcast) {
  const Array a = small_integers({2, 1, 5, 6}, dtype());
  const Array b = small_integers({3, 6, 4}, dtype());
  const Array y = matmul(a, b);
  ASSERT_EQ(y.shape(), Shape({2, 3, 5, 4}));
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      EXPECT_THAT((y[{i, j}]).copy(), IsArray(by_definition(a[{i, 0}], b[j])));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MatmulDtypes, testing::every_device_and_dtype(),
                         testing::device_dtype_name);

class MatmulTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(All, MatmulTest, every_device(), testing::device_name);

class DotTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(All, DotTest, every_device(), testing::device_name);

class GemmTest : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(All, GemmTest, every_device(), testing::device_name);

TEST_P(MatmulTest, AStackTimesOneMatrixIsOneProduct) {
  const Array a = small_integers({4, 3, 5}, Dtype::kFloat32);
  const Array b = small_integers({5, 2}, Dtype::kFloat32);
  const Array y = matmul(a, b);
  EXPECT_THAT(y.reshape({12, 2}), IsArray(matmul(a.reshape({12, 5}), b)));
  EXPECT_THAT(matmul(a.transpose({0, 2, 1}), b, {.transa = true}), IsArray(y));
}

TEST_P(MatmulTest, VectorsAreRowsAndColumns) {
  const Array v = array({1.0, 2.0});
  const Array w = array({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  EXPECT_THAT(matmul(v, w), IsArray(array({9.0, 12.0, 15.0})));
  EXPECT_THAT(matmul(w.T(), v), IsArray(array({9.0, 12.0, 15.0})));
  EXPECT_THAT(matmul(v, v), IsArray(array(5.0)));
  EXPECT_EQ(matmul(v, zeros({3, 2, 4})).shape(), Shape({3, 4}));
  EXPECT_EQ(matmul(zeros({3, 4, 2}), v).shape(), Shape({3, 4}));
}

TEST_P(MatmulTest, OptionsTransposeOperands) {
  const Array a = small_integers({3, 5}, Dtype::kFloat64);
  const Array b = small_integers({4, 3}, Dtype::kFloat64);
  EXPECT_THAT(matmul(a, b, {.transa = true, .transb = true}),
              IsArray(matmul(a.T(), b.T())));
  EXPECT_THAT(matmul(array({1.0, 2.0}), array({3.0, 4.0}), {.transb = true}),
              IsArray(array(11.0)));
}

// In all of the libraries, and in all dtypes with a rounding.
TEST_P(MatmulTest, AlphaIsAFactor) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    for (const Shape& size : {Shape{3, 4, 5},
                              {1, 70, 71},
                              {64, 64, 64},
                              {300, 8, 200},
                              {500, 300, 70}}) {
      const Array a = small_integers({2, size[0], size[2]}, dtype);
      const Array b = small_integers({2, size[1], size[2]}, dtype);
      EXPECT_THAT(matmul(a, b, {.transb = true, .alpha = 0.25}),
                  IsArray(multiply(matmul(a, b, {.transb = true}), 0.25)))
          << dtype << size;
    }
  }
  EXPECT_THAT(error_of<DtypeError>([] {
                matmul(ones({2, 2}, Dtype::kInt32), ones({2, 2}, Dtype::kInt8),
                       {.alpha = 0.5});
              }),
              "matmul: expected a floating dtype for alpha 0.5, got int32");
}

TEST_P(MatmulTest, PromotesAndWraps) {
  EXPECT_EQ(matmul(zeros({2, 2}, Dtype::kInt32), zeros({2, 2}, Dtype::kFloat32))
                .dtype(),
            Dtype::kFloat64);
  EXPECT_THAT(
      matmul(full({1, 3}, 100, Dtype::kInt8), full({3, 1}, 3, Dtype::kInt8)),
      IsArray(full({1, 1}, -124, Dtype::kInt8)));
  EXPECT_THAT(matmul(array({{true, false}}), array({{true}, {true}})),
              IsArray(array({{true}})));
}

TEST_P(MatmulTest, NothingToMultiply) {
  EXPECT_THAT(matmul(zeros({2, 0}), zeros({0, 3})), IsArray(zeros({2, 3})));
  EXPECT_EQ(matmul(zeros({0, 2}), zeros({2, 3})).shape(), Shape({0, 3}));
  EXPECT_EQ(matmul(zeros({0, 2, 2}), zeros({2, 3})).shape(), Shape({0, 2, 3}));
}

TEST_P(MatmulTest, NaNIsNotLost) {
  const Array a = zeros({2, 2});
  a[{0, 1}].fill(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(matmul(a, zeros({2, 2}))[{0, 0}].item<double>()));
}

TEST(MatmulOnTheCpuTest, ResultsFitWithFewerThreads) {
  const Array a = small_integers({150, 160}, Dtype::kFloat32);
  const Array b = small_integers({160, 170}, Dtype::kFloat32);
  const int threads = get_num_threads();
  set_num_threads(1);
  const Array y = matmul(a, b);
  set_num_threads(threads);
  EXPECT_THAT(matmul(a, b), IsArray(y));
  EXPECT_THAT(y, IsArray(by_definition(a, b)));
}

TEST_P(DotTest, SumsOverTheSecondToLastAxis) {
  const Array a = small_integers({2, 3, 4}, Dtype::kFloat32);
  const Array b = small_integers({5, 4, 6}, Dtype::kFloat32);
  const Array y = dot(a, b);
  ASSERT_EQ(y.shape(), Shape({2, 3, 5, 6}));
  for (int64_t i = 0; i < 5; ++i) {
    const Array part = y[{ellipsis, i, Slice()}];
    EXPECT_THAT(part.copy(), IsArray(matmul(a, b[i])));
  }
  EXPECT_EQ(dot(array({1.f, 1.f, 1.f, 1.f}), b).shape(), Shape({5, 6}));
  EXPECT_EQ(dot(a, array({1.f, 1.f, 1.f, 1.f})).shape(), Shape({2, 3}));
  EXPECT_THAT(dot(array(3.0), array({1.0, 2.0})), IsArray(array({3.0, 6.0})));
}

TEST_P(DotTest, WritesToItsOutput) {
  const Array a = small_integers({3, 4}, Dtype::kFloat32);
  const Array b = small_integers({4, 5}, Dtype::kFloat32);
  const Array stack = small_integers({2, 4, 5}, Dtype::kFloat32);
  const Array v = small_integers({4}, Dtype::kFloat32);
  const Array number = array(3.0f);
  const std::pair<Array, Array> operands[] = {
      {a, b}, {v, b}, {a, v}, {v, v}, {a, stack}, {number, a}, {a, number}};
  for (const auto& pair : operands) {
    const Array expected = dot(pair.first, pair.second);
    const Array out = empty_like(expected);
    EXPECT_TRUE(dot(pair.first, pair.second, {.out = out}).is_same(out));
    EXPECT_THAT(out, IsArray(expected));
    // Neither contiguous nor of the same dtype.
    Shape twice = expected.shape();
    twice.push_back(2);
    const Array wide = zeros(twice);
    pair.first.dot(pair.second, {.out = wide[{ellipsis, 1}]});
    EXPECT_THAT((wide[{ellipsis, 1}]), IsArray(expected.astype(wide.dtype())));
  }
  const Array square = small_integers({4, 4}, Dtype::kFloat32);
  const Array expected = dot(square, square.T());
  dot(square, square.T(), {.out = square});
  EXPECT_THAT(square, IsArray(expected));
}

TEST_P(DotTest, AnOutputThatDoesNotFitIsRefused) {
  const Array a = zeros({2, 3});
  EXPECT_THAT(error_of<ShapeError>([&] {
                dot(a, a.T(), {.out = zeros({3, 2})});
              }),
              "dot: expected an output of shape (2, 2), got (3, 2)");
  EXPECT_THAT(error_of<ShapeError>([&] {
                dot(a, array(2.0), {.out = zeros({4, 2, 3})});
              }),
              "dot: expected an output of shape (2, 3), got (4, 2, 3)");
  EXPECT_THAT(error_of<DtypeError>([&] {
                dot(a, a.T(), {.out = zeros({2, 2}, Dtype::kInt64)});
              }),
              "dot: cannot store float64 results in an array of int64");
}

TEST_P(GemmTest, AddsToTheOutput) {
  const Array a = small_integers({3, 4}, Dtype::kFloat32);
  const Array b = small_integers({5, 4}, Dtype::kFloat32);
  const Array before = small_integers({3, 5}, Dtype::kFloat32);
  const Array product = matmul(a, b.T());
  const Array expected = add(multiply(product, 0.5f), multiply(before, 2.0f));
  // In rows, in columns, and in neither.
  const Array wide = zeros({6, 10}, Dtype::kFloat32);
  for (const Array& out :
       std::vector<Array>{before.copy(), before.T().copy().T(),
                          wide[{Slice({}, {}, 2), Slice({}, {}, 2)}]}) {
    out.assign(before);
    gemm(a, b, out, {.transb = true, .alpha = 0.5, .beta = 2});
    EXPECT_THAT(out.copy(), IsArray(expected));
  }
}

TEST_P(GemmTest, EveryWayToMultiplyAdds) {
  for (const Shape& size : {Shape{70, 71, 72},
                            {300, 7, 150},
                            {5, 300, 200},
                            {200, 150, 20},
                            {1, 71, 72},
                            {70, 1, 72}}) {
    const Array a = small_integers({size[0], size[2]}, Dtype::kFloat32);
    const Array b = small_integers({size[1], size[2]}, Dtype::kFloat32);
    const Array before = small_integers({size[0], size[1]}, Dtype::kFloat32);
    const Array product = by_definition(a, b.T());
    for (const double beta : {0.0, 0.5, 1.0}) {
      for (const double alpha : {1.0, 2.0}) {
        const Array out = before.copy();
        gemm(a, b, out, {.transb = true, .alpha = alpha, .beta = beta});
        EXPECT_THAT(out, IsArray(add(multiply(product, float(alpha)),
                                     multiply(before, float(beta)))))
            << to_string(size);
      }
    }
  }
}

TEST_P(GemmTest, AddsABiasToEveryRow) {
  // For BLAS, both ways of oneDNN and our own kernels.
  for (const Shape& size : {Shape{3, 4, 5},
                            {1, 71, 72},
                            {70, 1, 72},
                            {70, 71, 72},
                            {20, 260, 300},
                            {9, 1100, 1000},
                            {300, 700, 150},
                            {900, 30, 40},
                            {3, 4, 0}}) {
    const Array a = small_integers({size[0], size[2]}, Dtype::kFloat32);
    const Array b = small_integers({size[2], size[1]}, Dtype::kFloat32);
    const Array bias = small_integers({size[1]}, Dtype::kFloat32);
    const Array expected = add(matmul(a, b), bias);
    const auto check = [&](const Array& b_given, bool transb) {
      const Array out = full({size[0], size[1]}, NAN, Dtype::kFloat32);
      gemm(a, b_given, out, {.transb = transb, .bias = bias});
      EXPECT_THAT(out, IsArray(expected)) << to_string(size);
    };
    check(b, false);
    check(b.T().copy(), true);
  }
}

TEST_P(GemmTest, AddsABiasToAnyOutput) {
  const Array a = small_integers({2, 6, 4}, Dtype::kFloat32);
  const Array b = small_integers({4, 5}, Dtype::kFloat32);
  const Array bias = small_integers({10}, Dtype::kFloat32)[{Slice({}, {}, 2)}];
  const Array expected = add(matmul(a, b), bias);
  const Array wide = zeros({2, 12, 10}, Dtype::kFloat32);
  for (const Array& out : std::vector<Array>{
           zeros({2, 6, 5}, Dtype::kFloat32),
           zeros({2, 5, 6}, Dtype::kFloat32).transpose({0, 2, 1}),
           wide[{ellipsis, Slice({}, {}, 2), Slice({}, {}, 2)}]}) {
    gemm(a, b, out, {.bias = bias});
    EXPECT_THAT(out.copy(), IsArray(expected));
  }
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat16, Dtype::kInt32}) {
    const Array out = zeros({2, 6, 5}, dtype);
    gemm(a.astype(dtype), b.astype(dtype), out, {.bias = bias.astype(dtype)});
    EXPECT_THAT(out, IsArray(expected.astype(dtype)));
  }
  // A row of the output itself.
  const Array out = ones({6, 5}, Dtype::kFloat32);
  gemm(a[0], b, out, {.bias = out[3]});
  EXPECT_THAT(out, IsArray(add(matmul(a[0], b), 1.0f)));
}

TEST_P(GemmTest, SumsTheRowsOfA) {
  for (const Dtype dtype :
       {Dtype::kFloat32, Dtype::kFloat64, Dtype::kFloat16, Dtype::kInt32}) {
    for (const Shape& size : {Shape{3, 4, 5}, {3, 0, 5}, {3, 4, 0}}) {
      const Array a = small_integers({size[0], size[2]}, dtype);
      const Array b = small_integers({size[2], size[1]}, dtype);
      const Array sums = sum(a, {.axis = 1, .dtype = dtype});
      const auto check = [&](const Array& a_given, bool transa) {
        const Array out = ones({size[0], size[1]}, dtype);
        const Array wide = ones({2 * size[0]}, dtype);
        for (const Array& row_sums : std::vector<Array>{
                 ones({size[0]}, dtype), wide[{Slice({}, {}, 2)}]}) {
          gemm(a_given, b, out,
               {.transa = transa, .beta = 1, .row_sums = row_sums});
          EXPECT_THAT(row_sums.copy(), IsArray(sums));
        }
        EXPECT_THAT(out,
                    IsArray(add(multiply(matmul(a, b), 2), 1).astype(dtype)));
      };
      check(a, false);
      check(a.T().copy(), true);
    }
  }
}

TEST(GemmErrorTest, RefusesSumsThatDoNotFit) {
  const Array a = ones({2, 3});
  EXPECT_THAT(error_of<ShapeError>([&] {
                gemm(a, ones({3, 3}), zeros({2, 3}), {.row_sums = ones({3})});
              }),
              HasSubstr("gemm: expected row_sums of shape (2,)"));
}

TEST(GemmErrorTest, RefusesABiasThatDoesNotFit) {
  const Array a = ones({2, 3});
  const Array out = zeros({2, 3});
  const Array b = ones({3, 3});
  EXPECT_THAT(
      error_of<ShapeError>([&] { gemm(a, b, out, {.bias = ones({2})}); }),
      "gemm: expected a bias of shape (3,), got (2,)");
  EXPECT_THAT(error_of<ValueError>(
                  [&] { gemm(a, b, out, {.beta = 2, .bias = ones({3})}); }),
              "gemm: expected beta 0 with a bias, got 2");
  EXPECT_THAT(error_of<DtypeError>([&] {
                gemm(a, b, out, {.bias = ones({3}, Dtype::kFloat32)});
              }),
              HasSubstr("gemm (bias)"));
}

// Small products run on one thread while the machine is busy: that must not
// change a bit.
Array normal(const Shape& shape, Dtype dtype) {
  return random::normal(0, 1, shape, Dtype::kFloat32).astype(dtype);
}

// Factors of products that are 0 but for rounding errors, which another order
// of additions changes: the second half along an axis is the first times
// `sign`.
Array cancelling(const Shape& shape, int axis, Dtype dtype, int sign) {
  Shape half = shape;
  half[axis] /= 2;
  const Array first = normal(half, dtype);
  return concatenate({first, first * sign}, axis);
}

TEST(GemmOnTheCpuTest, SameBitsForAnyNumberOfThreads) {
  const int threads = get_num_threads();
  for (const auto& [m, n, k] :
       std::vector<std::array<int64_t, 3>>{{50, 256, 64},
                                           {64, 256, 50},
                                           {256, 64, 50},
                                           {1, 2000, 1000},
                                           {1000, 10, 100},
                                           {100, 10, 1000},
                                           {32, 32, 2048},
                                           {16, 16, 16384},
                                           {64, 64, 8192},
                                           {128, 128, 4096},
                                           {300, 520, 2048},
                                           {700, 130, 2048},
                                           {64, 16, 20000},
                                           {512, 64, 2048},
                                           {250, 250, 250},
                                           {20, 1000, 800},
                                           {700, 513, 900},
                                           {5000, 30, 200}}) {
    for (const bool transa : {false, true}) {
      for (const bool transb : {false, true}) {
        for (const Dtype dtype :
             {Dtype::kFloat32, Dtype::kFloat64, Dtype::kBFloat16}) {
          const Array a = cancelling(transa ? Shape{k, m} : Shape{m, k},
                                     transa ? 0 : 1, dtype, -1);
          const Array b = cancelling(transb ? Shape{n, k} : Shape{k, n},
                                     transb ? 1 : 0, dtype, 1);
          const auto product = [&](int count) {
            set_num_threads(count);
            return matmul(transa ? a.T() : a, transb ? b.T() : b);
          };
          const Array expected = product(1);
          for (const int count : {2, 3, 4}) {
            EXPECT_THAT(product(count), IsArray(expected))
                << dtype << " " << m << " " << n << " " << k << " " << transa
                << transb << " " << count;
          }
        }
      }
    }
  }
  set_num_threads(threads);
}

// By the processor's instructions, where it has some: as if in float32, and
// rounded once.
TEST_P(GemmTest, BFloat16IsRoundedOnce) {
  for (const Shape& size : {Shape{1, 1000, 400},
                            {300, 1, 1000},
                            {33, 65, 513},
                            {200, 130, 70},
                            {500, 7, 129}}) {
    const int64_t m = size[0];
    const int64_t n = size[1];
    const int64_t k = size[2];
    for (const bool transa : {false, true}) {
      for (const bool transb : {false, true}) {
        const Dtype dtype = Dtype::kBFloat16;
        const Array a = normal(transa ? Shape{k, m} : Shape{m, k}, dtype);
        const Array b = normal(transb ? Shape{n, k} : Shape{k, n}, dtype);
        const Array c = normal({m, n}, dtype);
        const auto in_float64 = [&](const Array& x, bool transposed) {
          const Array wide = x.astype(Dtype::kFloat64);
          return transposed ? wide.T() : wide;
        };
        const Array wide_a = in_float64(a, transa);
        const Array wide_b = in_float64(b, transb);
        // Half a unit in the last place of 8 bits, and float32's errors.
        const auto expect_near = [&](const Array& actual, const Array& exact) {
          const Array bound =
              absolute(exact) * 0x1p-8 +
              matmul(absolute(wide_a), absolute(wide_b)) * 1e-5 + 1e-6;
          const Array excess =
              absolute(actual.astype(Dtype::kFloat64) - exact) - bound;
          EXPECT_LE(amax(excess).item<double>(), 0)
              << size << " " << transa << transb;
        };
        const Array exact = matmul(wide_a, wide_b);
        expect_near(matmul(transa ? a.T() : a, transb ? b.T() : b), exact);
        expect_near(
            matmul(a, b, {.transa = transa, .transb = transb, .alpha = 0.3}),
            exact * 0.3);
        const Array sum = c.copy();
        gemm(a, b, sum, {.transa = transa, .transb = transb, .beta = 1});
        expect_near(sum, exact + c.astype(Dtype::kFloat64));
      }
    }
  }
}

TEST_P(GemmTest, DoesNotReadTheOutputWithoutBeta) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    for (const Shape& size : {Shape{40, 40}, {1, 40}, {40, 1}}) {
      const Array a = small_integers({size[0], 40}, dtype);
      const Array b = small_integers({40, size[1]}, dtype);
      const Array out = full(size, std::nan(""), dtype);
      gemm(a, b, out);
      EXPECT_THAT(out, IsArray(by_definition(a, b)));
    }
  }
}

TEST_P(GemmTest, MayWriteOverAnOperand) {
  const Array a = small_integers({4, 4}, Dtype::kFloat64);
  const Array expected = matmul(a, a);
  gemm(a, a, a);
  EXPECT_THAT(a, IsArray(expected));
}

TEST_P(GemmTest, EmptySumsScaleTheOutput) {
  const Array out = ones({2, 2});
  gemm(zeros({2, 0}), zeros({0, 2}), out, {.beta = 3});
  EXPECT_THAT(out, IsArray(full({2, 2}, 3.0)));
}

TEST(MatmulErrorTest, RefusesWhatDoesNotMatch) {
  EXPECT_THAT(error_of<ShapeError>([] {
                matmul(zeros({2, 3}), zeros({2, 3}));
              }),
              "matmul: expected as many columns of a as rows "
              "of b, got shapes (2, 3) and (2, 3)");
  EXPECT_THAT(error_of<ShapeError>([] {
                matmul(zeros({2, 3}), zeros({3, 2}), {.transa = true});
              }),
              HasSubstr("(2, 3) (transposed)"));
  EXPECT_THAT(error_of<ShapeError>([] {
                matmul(zeros({2, 2, 2}), zeros({3, 2, 2}));
              }),
              HasSubstr("matmul"));
  EXPECT_THAT(error_of<ShapeError>([] { matmul(zeros({}), zeros({2})); }),
              "matmul: expected at least one axis, "
              "got shapes () and (2,)");
  EXPECT_THAT(error_of<ShapeError>([] {
                dot(zeros({2, 3}), zeros({4, 2, 3}));
              }),
              HasSubstr("dot: expected as many"));
}

TEST(GemmErrorTest, RefusesOutputsThatDoNotFit) {
  const Array a = zeros({2, 3});
  const Array b = zeros({3, 4});
  EXPECT_THAT(error_of<ShapeError>([&] {
                gemm(a, b, zeros({4, 2}));
              }),
              "gemm: expected an output for shapes (2, 3) and (3, 4), got "
              "shape (4, 2)");
  EXPECT_THAT(error_of<DtypeError>([&] {
                gemm(a, b, zeros({2, 4}, Dtype::kFloat32));
              }),
              HasSubstr("gemm (a)"));
  EXPECT_THAT(error_of<ValueError>([&] {
                gemm(a, b, zeros({1, 4}).broadcast_to({2, 4}));
              }),
              HasSubstr("gemm"));
  EXPECT_THAT(error_of<ShapeError>([&] { gemm(a[0], b, zeros({4})); }),
              HasSubstr("at least two axes"));
  EXPECT_THAT(
      error_of<DeviceError>([&] { matmul(a, b.to_device(native_device(1))); }),
      HasSubstr("matmul: expected operands on"));
}

}  // namespace
}  // namespace catena::array
