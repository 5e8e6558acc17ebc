#include "catena/array/linalg/decomposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "catena/array/array.h"
#include "catena/array/core/backend.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/linalg_error.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/support/golden_device_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/gpu_limit.h"

namespace catena::array::linalg {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;

class DecompositionGolden : public testing::GoldenDeviceTest {};

bool is_decomposition(const testing::GoldenCase& golden) {
  const std::string op = golden.attr<std::string>("op");
  return op == "linalg.cholesky" || op == "linalg.eigvalsh" ||
         op == "linalg.svdvals";
}

TEST_P(DecompositionGolden, AgreesWithNumPy) {
  const std::string op = golden().attr<std::string>("op");
  const Array a = array("in0");
  const Array y = op == "linalg.cholesky"   ? cholesky(a)
                  : op == "linalg.eigvalsh" ? eigvalsh(a)
                                            : svdvals(a);
  EXPECT_THAT(y, golden().is_close("out0"));
}

INSTANTIATE_TEST_SUITE_P(All, DecompositionGolden,
                         testing::every_device_and_case("array/linalg",
                                                        is_decomposition),
                         testing::golden_device_name);

// What products of random matrices of some hundred rows agree to.
testing::Tolerance tolerance(Dtype dtype) {
  return dtype == Dtype::kFloat32 ? testing::Tolerance{1e-4, 1e-3}
                                  : testing::Tolerance{1e-10, 1e-10};
}

Array transposed(const Array& a) {
  Axes axes;
  for (int i = 0; i < a.ndim() - 2; ++i) axes.push_back(i);
  axes.push_back(a.ndim() - 1);
  axes.push_back(a.ndim() - 2);
  return a.transpose(axes);
}

class DecompositionTest : public testing::DeviceDtypeTest {
 protected:
  Array numbers(const Shape& shape) {
    random::seed(7);
    return random::normal(0, 1, shape, dtype());
  }
  Array symmetric(const Shape& shape) {
    const Array a = numbers(shape);
    return add(a, transposed(a));
  }
  Array positive_definite(const Shape& shape) {
    const Array a = numbers(shape);
    return add(matmul(a, transposed(a)),
               identity(shape.back(), dtype(), device()));
  }
  void expect_close(const Array& actual, const Array& expected) {
    EXPECT_THAT(actual.copy(), IsClose(expected.copy(), tolerance(dtype())));
  }
  void expect_orthogonal_columns(const Array& q) {
    Shape shape = q.shape();
    shape[q.ndim() - 2] = shape.back();
    expect_close(matmul(transposed(q), q),
                 identity(shape.back(), dtype(), device()).broadcast_to(shape));
  }
};

const Shape kShapes[] = {{1, 1}, {5, 5},       {7, 3},      {3, 7},    {1, 6},
                         {6, 1}, {2, 3, 4, 5}, {3, 40, 30}, {130, 170}};

TEST_P(DecompositionTest, QrGivesTheMatrixBack) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(to_string(shape));
    const Array a = numbers(shape);
    const int64_t m = shape[shape.ndim() - 2];
    const int64_t n = shape.back();
    for (const QrMode mode : {QrMode::kReduced, QrMode::kComplete}) {
      const auto [q, r] = qr(a, mode);
      const int64_t columns = mode == QrMode::kComplete ? m : std::min(m, n);
      EXPECT_EQ(q.shape().back(), columns);
      EXPECT_EQ(r.shape()[r.ndim() - 2], columns);
      EXPECT_TRUE(q.is_contiguous() && r.is_contiguous());
      expect_close(matmul(q, r), a);
      expect_orthogonal_columns(q);
      const Array below = less(arange(n), arange(columns).expand_dims(1));
      EXPECT_THAT(where(below, r, 0), IsArray(zeros_like(r)));
    }
    const QrResult alone = qr(a, QrMode::kR);
    EXPECT_FALSE(alone.q.defined());
    EXPECT_THAT(alone.r, IsArray(qr(a).r));
  }
}

TEST_P(DecompositionTest, SvdGivesTheMatrixBack) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(to_string(shape));
    const Array a = numbers(shape);
    const int64_t m = shape[shape.ndim() - 2];
    const int64_t n = shape.back();
    const int64_t k = std::min(m, n);
    for (const bool full : {false, true}) {
      const auto [u, s, vh] = svd(a, {.full_matrices = full});
      EXPECT_EQ(u.shape().back(), full ? m : k);
      EXPECT_EQ(vh.shape()[vh.ndim() - 2], full ? n : k);
      EXPECT_TRUE(u.is_contiguous() && vh.is_contiguous());
      expect_orthogonal_columns(u);
      expect_orthogonal_columns(transposed(vh));
      const Array left = u[{ellipsis, Slice(k)}];
      const Array right = vh[{ellipsis, Slice(k), Slice()}];
      expect_close(matmul(multiply(left, s.expand_dims(-2)), right), a);
      EXPECT_TRUE(all(greater_equal(s[{ellipsis, Slice({}, -1)}],
                                    s[{ellipsis, Slice(1, {})}]))
                      .item<bool>());
      expect_close(svdvals(a), s);
    }
    const SvdResult values = svd(a, {.compute_uv = false});
    EXPECT_FALSE(values.u.defined() || values.vh.defined());
  }
}

TEST_P(DecompositionTest, EighGivesTheMatrixBack) {
  for (const Shape& shape : {Shape{1, 1}, Shape{6, 6}, Shape{2, 3, 4, 4},
                             Shape{5, 33, 33}, Shape{140, 140}}) {
    SCOPED_TRACE(to_string(shape));
    const Array a = symmetric(shape);
    const auto [w, v] = eigh(a);
    expect_orthogonal_columns(v);
    expect_close(matmul(a, v), multiply(v, w.expand_dims(-2)));
    expect_close(eigvalsh(a), w);
    EXPECT_TRUE(all(less_equal(w[{ellipsis, Slice({}, -1)}],
                               w[{ellipsis, Slice(1, {})}]))
                    .item<bool>());
  }
}

TEST_P(DecompositionTest, OneTriangleIsRead) {
  const double nan = std::nan("");
  const Array lower = array({{2.0, nan}, {1.0, 2.0}}).astype(dtype());
  const Array expected = array({1.0, 3.0}).astype(dtype());
  expect_close(eigvalsh(lower), expected);
  expect_close(eigvalsh(lower.T(), Triangle::kUpper), expected);
  expect_close(cholesky(lower),
               array({{std::sqrt(2.0), 0.0}, {std::sqrt(0.5), std::sqrt(1.5)}})
                   .astype(dtype()));
}

TEST_P(DecompositionTest, CholeskyGivesTheMatrixBack) {
  for (const Shape& shape : {Shape{1, 1}, Shape{6, 6}, Shape{2, 3, 4, 4},
                             Shape{5, 33, 33}, Shape{140, 140}}) {
    SCOPED_TRACE(to_string(shape));
    const Array a = positive_definite(shape);
    const Array l = cholesky(a);
    expect_close(matmul(l, transposed(l)), a);
    const int64_t n = shape.back();
    const Array above = greater(arange(n), arange(n).expand_dims(1));
    EXPECT_THAT(where(above, l, 0), IsArray(zeros_like(l)));
    // A view in another order gives the same.
    expect_close(cholesky(transposed(a)), l);
  }
}

TEST_P(DecompositionTest, TheOperandIsLeftAsItWas) {
  const Array a = positive_definite({4, 4});
  const Array before = a.copy();
  cholesky(a);
  qr(a);
  svd(a);
  eigh(a);
  EXPECT_THAT(a, IsArray(before));
}

TEST_P(DecompositionTest, EmptyMatricesFollowNumPy) {
  EXPECT_EQ(cholesky(zeros({0, 0}, dtype())).shape(), Shape({0, 0}));
  EXPECT_EQ(cholesky(zeros({0, 3, 3}, dtype())).shape(), Shape({0, 3, 3}));
  const auto [q, r] = qr(zeros({3, 0}, dtype()));
  EXPECT_EQ(q.shape(), Shape({3, 0}));
  EXPECT_EQ(r.shape(), Shape({0, 0}));
  EXPECT_THAT(qr(zeros({3, 0}, dtype()), QrMode::kComplete).q,
              IsArray(identity(3, dtype(), device())));
  EXPECT_EQ(qr(zeros({0, 2}, dtype()), QrMode::kComplete).r.shape(),
            Shape({0, 2}));
  const auto [u, s, vh] = svd(zeros({0, 2}, dtype()));
  EXPECT_EQ(u.shape(), Shape({0, 0}));
  EXPECT_EQ(s.shape(), Shape({0}));
  EXPECT_THAT(vh, IsArray(identity(2, dtype(), device())));
  EXPECT_EQ(svd(zeros({4, 0, 2}, dtype()), {.full_matrices = false}).vh.shape(),
            Shape({4, 0, 2}));
  EXPECT_EQ(eigvalsh(zeros({0, 0}, dtype())).shape(), Shape({0}));
  EXPECT_EQ(eigh(zeros({0, 2, 2}, dtype())).v.shape(), Shape({0, 2, 2}));
}

TEST_P(DecompositionTest, MatricesWithoutAResultAreNamed) {
  const Array good = identity(3, dtype(), device());
  const Array stack = good.broadcast_to({2, 2, 3, 3}).copy();
  stack[{1, 0, 1, 1}].fill(-1);
  EXPECT_THAT(error_of<LinAlgError>([&] { cholesky(stack); }),
              "cholesky: expected positive definite matrices, got the "
              "leading minor of order 2 not positive in matrix 2 of shape "
              "(2, 2, 3, 3)");
  stack[{1, 0, 1, 1}].fill(std::nan(""));
  EXPECT_THAT(error_of<LinAlgError>([&] { cholesky(stack); }),
              HasSubstr("matrix 2"));
  EXPECT_THAT(error_of<LinAlgError>([&] { svd(stack); }),
              "svd: expected finite elements, got NaN or infinity in "
              "matrix 2 of shape (2, 2, 3, 3)");
  EXPECT_THAT(error_of<LinAlgError>([&] { svdvals(stack); }),
              HasSubstr("svdvals"));
  stack[{1, 0, 1, 1}].fill(std::numeric_limits<double>::infinity());
  EXPECT_THAT(error_of<LinAlgError>([&] { eigh(stack); }),
              HasSubstr("eigh: expected finite"));
  EXPECT_THAT(error_of<LinAlgError>([&] { eigvalsh(stack); }),
              HasSubstr("eigvalsh"));
}

INSTANTIATE_TEST_SUITE_P(All, DecompositionTest,
                         ::testing::Combine(testing::every_device(),
                                            ::testing::Values(Dtype::kFloat32,
                                                              Dtype::kFloat64)),
                         testing::device_dtype_name);

TEST(DecompositionDeviceTest, TheirDeviceNeedNotBeCurrent) {
  const BackendTable* cuda = backend_table(Backend::kCuda);
  if (cuda == nullptr || testing::gpus_for_tests(cuda->device_count()) < 2) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  const Array a = full({3, 3}, 1.0) + identity(3);
  const Array there = a.to_device(cuda_device(1));
  EXPECT_THAT(cholesky(there).to_device(native_device()),
              testing::IsClose(cholesky(a)));
}

TEST(DecompositionDtypeTest, IntegersGiveFloat64) {
  const Array a = array({{2, 1}, {1, 2}});
  EXPECT_THAT(eigvalsh(a), IsClose(array({1.0, 3.0})));
  EXPECT_THAT(eigvalsh(array({{true, false}, {false, true}})),
              IsClose(array({1.0, 1.0})));
  EXPECT_EQ(cholesky(a.astype(Dtype::kInt8)).dtype(), Dtype::kFloat64);
}

TEST(DecompositionDtypeTest, SixteenBitFloatsAreRefused) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16}) {
    const Array a = identity(2, dtype);
    EXPECT_THAT(error_of<DtypeError>([&] { qr(a); }),
                HasSubstr("qr: expected float32"));
    EXPECT_THAT(error_of<DtypeError>([&] { svd(a); }), HasSubstr("svd"));
    EXPECT_THAT(error_of<DtypeError>([&] { eigh(a); }), HasSubstr("eigh"));
    EXPECT_THAT(error_of<DtypeError>([&] { cholesky(a); }),
                HasSubstr("cholesky"));
  }
}

TEST(DecompositionShapeTest, WhatIsNoMatrixIsRefused) {
  EXPECT_THAT(error_of<ShapeError>([] { qr(zeros({3})); }),
              "qr: expected matrices, of at least "
              "two axes, got shape (3,)");
  EXPECT_THAT(error_of<ShapeError>([] { svd(zeros({})); }), HasSubstr("svd"));
  EXPECT_THAT(error_of<ShapeError>([] {
                cholesky(zeros({2, 3}));
              }),
              "cholesky: expected square matrices, got shape (2, 3)");
  EXPECT_THAT(error_of<ShapeError>([] {
                eigh(zeros({2, 3}));
              }),
              HasSubstr("eigh: expected square"));
}

TEST(DecompositionThreadsTest, OneThreadGivesTheSame) {
  random::seed(3);
  const Array a = random::normal(0, 1, {40, 24, 24});
  const Array expected = svdvals(a);
  const int threads = get_num_threads();
  set_num_threads(1);
  const Array alone = svdvals(a);
  set_num_threads(threads);
  EXPECT_THAT(alone, IsClose(expected));
}

}  // namespace
}  // namespace catena::array::linalg
