#include <cusolverDn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "catena/cuda/emulation/library_test.h"

namespace catena::cuda::emulation {
namespace {

// A column-major matrix.
struct Dense {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> items;

  Dense(int64_t m, int64_t n)
      : rows(m), columns(n), items(static_cast<size_t>(m * n)) {}
  double& operator()(int64_t i, int64_t j) {
    return items[static_cast<size_t>(j * rows + i)];
  }
  double operator()(int64_t i, int64_t j) const {
    return items[static_cast<size_t>(j * rows + i)];
  }
};

Dense random_matrix(int64_t m, int64_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> numbers(-1, 1);
  Dense result(m, n);
  for (double& x : result.items) x = numbers(random);
  return result;
}

Dense transpose(const Dense& a) {
  Dense result(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  }
  return result;
}

Dense operator*(const Dense& a, const Dense& b) {
  Dense result(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) {
      for (int64_t k = 0; k < a.columns; ++k) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

Dense identity(int64_t n) {
  Dense result(n, n);
  for (int64_t i = 0; i < n; ++i) result(i, i) = 1;
  return result;
}

Dense positive_definite(int64_t n, unsigned seed = 1) {
  const Dense a = random_matrix(n, n, seed);
  Dense result = a * transpose(a);
  for (int64_t i = 0; i < n; ++i) result(i, i) += 1;
  return result;
}

Dense upper(Dense a) {
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = j + 1; i < a.rows; ++i) a(i, j) = 0;
  }
  return a;
}

void expect_near(const Dense& actual, const Dense& expected, double tolerance) {
  ASSERT_EQ(actual.items.size(), expected.items.size());
  for (size_t i = 0; i < actual.items.size(); ++i) {
    ASSERT_NEAR(actual.items[i], expected.items[i], tolerance) << i;
  }
}

template <class T>
class CusolverTest : public LibraryTest {
 protected:
  static constexpr cudaDataType kType =
      std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;
  static constexpr double kTolerance = std::is_same_v<T, float> ? 2e-5 : 1e-13;

  void SetUp() override {
    LibraryTest::SetUp();
    ASSERT_EQ(cusolverDnCreate(&handle_), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(cusolverDnSetStream(handle_, stream_), CUSOLVER_STATUS_SUCCESS);
    ASSERT_EQ(cusolverDnCreateParams(&params_), CUSOLVER_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cusolverDnDestroyParams(params_), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(cusolverDnDestroy(handle_), CUSOLVER_STATUS_SUCCESS);
    LibraryTest::TearDown();
  }

  static DeviceArray<T> to_device(const Dense& a) {
    return DeviceArray<T>(std::vector<T>(a.items.begin(), a.items.end()));
  }
  Dense read(const DeviceArray<T>& data, int64_t m, int64_t n,
             int64_t skipped = 0) const {
    const std::vector<T> values = data.read(stream_);
    Dense result(m, n);
    std::copy_n(values.begin() + skipped, m * n, result.items.begin());
    return result;
  }
  // The statuses of a call that must not have run yet.
  std::vector<int> infos_later(const DeviceArray<int>& infos) const {
    EXPECT_TRUE(is_pending());
    return infos.read(stream_);
  }

  // Workspaces of the size that the call `size` reports.
  template <class Size>
  DeviceArray<char> workspace(Size size) {
    size_t on_device = 0;
    size_t on_host = 1;
    EXPECT_EQ(size(&on_device, &on_host), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(on_host, 256u);
    return DeviceArray<char>(on_device);
  }

  cusolverStatus_t factor(const DeviceArray<T>& a, int64_t n,
                          const DeviceArray<int64_t>& pivots,
                          const DeviceArray<int>& info) {
    const auto work = workspace([&](size_t* on_device, size_t* on_host) {
      return cusolverDnXgetrf_bufferSize(handle_, params_, n, n, kType,
                                         a.data(), n, kType, on_device,
                                         on_host);
    });
    const cusolverStatus_t status = cusolverDnXgetrf(
        handle_, params_, n, n, kType, a.data(), n, pivots.data(), kType,
        work.data(), work.size(), nullptr, 0, info.data());
    EXPECT_TRUE(status != CUSOLVER_STATUS_SUCCESS || is_pending());
    return status;
  }

  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CusolverTest, Reals);

// What a test of a template uses of its base.
#define CATENA_MEMBERS                                         \
  using T [[maybe_unused]] = TypeParam;                        \
  [[maybe_unused]] constexpr cudaDataType kType = this->kType; \
  [[maybe_unused]] const double tolerance = this->kTolerance;  \
  [[maybe_unused]] auto* const handle = this->handle_;         \
  [[maybe_unused]] auto* const params = this->params_

TYPED_TEST(CusolverTest, LuSolvesSystems) {
  CATENA_MEMBERS;
  const int64_t n = 6;
  const Dense a = random_matrix(n, n);
  const Dense x = random_matrix(n, 2, 2);
  const auto lu = this->to_device(a);
  const DeviceArray<int64_t> pivots(n);
  const DeviceArray<int> info(1);
  ASSERT_EQ(this->factor(lu, n, pivots, info), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(info.read(this->stream_)[0], 0);
  for (const bool transposed : {false, true}) {
    const auto b = this->to_device((transposed ? transpose(a) : a) * x);
    ASSERT_EQ(
        cusolverDnXgetrs(handle, params, transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                         n, 2, kType, lu.data(), n, pivots.data(), kType,
                         b.data(), n, info.data()),
        CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(this->infos_later(info)[0], 0);
    expect_near(this->read(b, n, 2), x, 10 * tolerance);
  }
}

TYPED_TEST(CusolverTest, LuTellsPivotsFromOneAndTheZeroOfU) {
  CATENA_MEMBERS;
  Dense a(3, 3);
  a(0, 1) = 2;
  a(1, 2) = 3;
  a(2, 0) = 4;
  const auto lu = this->to_device(a);
  const DeviceArray<int64_t> pivots(3);
  const DeviceArray<int> info(1);
  ASSERT_EQ(this->factor(lu, 3, pivots, info), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(info.read(this->stream_)[0], 0);
  EXPECT_EQ(pivots.read(this->stream_), (std::vector<int64_t>{3, 3, 3}));
  EXPECT_EQ(this->read(lu, 3, 3)(0, 0), 4);

  const auto zero = this->to_device(Dense(3, 3));
  ASSERT_EQ(this->factor(zero, 3, pivots, info), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(info.read(this->stream_)[0], 1);
}

TYPED_TEST(CusolverTest, CholeskyFactorsATriangle) {
  CATENA_MEMBERS;
  const int64_t n = 5;
  Dense a = positive_definite(n);
  const Dense expected = a;
  a(4, 0) = 100;  // is not read
  const auto data = this->to_device(a);
  const DeviceArray<int> info(1);
  size_t on_device = 1;
  size_t on_host = 1;
  ASSERT_EQ(cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_UPPER,
                                        n, kType, data.data(), n, kType,
                                        &on_device, &on_host),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(on_device, 0u);
  ASSERT_EQ(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_UPPER, n, kType,
                             data.data(), n, kType, nullptr, 0, nullptr, 0,
                             info.data()),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(this->infos_later(info)[0], 0);
  const Dense result = this->read(data, n, n);
  EXPECT_EQ(result(4, 0), 100);
  const Dense u = upper(result);
  expect_near(transpose(u) * u, expected, 10 * tolerance);
}

TYPED_TEST(CusolverTest, BatchedCholeskyFollowsAddressesOfTheDevice) {
  CATENA_MEMBERS;
  const int n = 4;
  const Dense first = positive_definite(n, 1);
  const Dense second = positive_definite(n, 2);
  Dense wrong = first;
  wrong(2, 2) = -1;
  const auto a = this->to_device(first);
  const auto b = this->to_device(wrong);
  const auto c = this->to_device(second);
  const DeviceArray<T*> list(std::vector<T*>{c.data(), b.data(), a.data()});
  const DeviceArray<int> infos(3);
  const auto run = [&](int lda) {
    if constexpr (std::is_same_v<T, float>) {
      return cusolverDnSpotrfBatched(handle, CUBLAS_FILL_MODE_UPPER, n,
                                     list.data(), lda, infos.data(), 3);
    } else {
      return cusolverDnDpotrfBatched(handle, CUBLAS_FILL_MODE_UPPER, n,
                                     list.data(), lda, infos.data(), 3);
    }
  };
  EXPECT_EQ(run(n - 1), CUSOLVER_STATUS_INVALID_VALUE);
  ASSERT_EQ(run(n), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(this->infos_later(infos), (std::vector<int>{0, 3, 0}));
  const Dense u = upper(this->read(a, n, n));
  expect_near(transpose(u) * u, first, 10 * tolerance);
  const Dense whole = this->read(c, n, n);
  EXPECT_TRUE(std::isnan(whole(1, 0)));  // a workspace, as documented
  expect_near(transpose(upper(whole)) * upper(whole), second, 10 * tolerance);
}

TYPED_TEST(CusolverTest, QrFormsAnOrthogonalQ) {
  CATENA_MEMBERS;
  const int m = 7;
  const int n = 4;
  const Dense a = random_matrix(m, n);
  const auto data = this->to_device(a);
  const DeviceArray<T> tau(n);
  const DeviceArray<int> info(1);
  const auto work = this->workspace([&](size_t* on_device, size_t* on_host) {
    return cusolverDnXgeqrf_bufferSize(handle, params, m, n, kType, data.data(),
                                       m, kType, tau.data(), kType, on_device,
                                       on_host);
  });
  ASSERT_EQ(cusolverDnXgeqrf(handle, params, m, n, kType, data.data(), m, kType,
                             tau.data(), kType, work.data(), work.size(),
                             nullptr, 0, info.data()),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(this->infos_later(info)[0], 0);
  const Dense r = upper(this->read(data, m, n));

  // All columns of Q, from n reflectors.
  const DeviceArray<T> q(static_cast<size_t>(m * m));
  ASSERT_EQ(
      cudaMemcpy(q.data(), data.data(), sizeof(T) * m * n, cudaMemcpyDefault),
      cudaSuccess);
  int lwork = 0;
  const auto form = [&](int lwork_given, T* buffer) {
    if constexpr (std::is_same_v<T, float>) {
      return cusolverDnSorgqr(handle, m, m, n, q.data(), m, tau.data(), buffer,
                              lwork_given, info.data());
    } else {
      return cusolverDnDorgqr(handle, m, m, n, q.data(), m, tau.data(), buffer,
                              lwork_given, info.data());
    }
  };
  if constexpr (std::is_same_v<T, float>) {
    ASSERT_EQ(cusolverDnSorgqr_bufferSize(handle, m, m, n, q.data(), m,
                                          tau.data(), &lwork),
              CUSOLVER_STATUS_SUCCESS);
  } else {
    ASSERT_EQ(cusolverDnDorgqr_bufferSize(handle, m, m, n, q.data(), m,
                                          tau.data(), &lwork),
              CUSOLVER_STATUS_SUCCESS);
  }
  ASSERT_GT(lwork, 0);
  const DeviceArray<T> buffer(static_cast<size_t>(lwork));
  EXPECT_EQ(form(lwork - 1, buffer.data()), CUSOLVER_STATUS_INVALID_VALUE);
  ASSERT_EQ(form(lwork, buffer.data()), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(this->infos_later(info)[0], 0);
  const Dense formed = this->read(q, m, m);
  expect_near(transpose(formed) * formed, identity(m), 10 * tolerance);
  expect_near(formed * r, a, 10 * tolerance);
}

TYPED_TEST(CusolverTest, EigenvaluesAscendAndVectorsReplaceA) {
  CATENA_MEMBERS;
  const int64_t n = 6;
  const Dense a = positive_definite(n);
  for (const auto triangle : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    const auto data = this->to_device(
        triangle == CUBLAS_FILL_MODE_UPPER ? upper(a) : transpose(upper(a)));
    const DeviceArray<T> w(n);
    const DeviceArray<int> info(1);
    const auto work = this->workspace([&](size_t* on_device, size_t* on_host) {
      return cusolverDnXsyevd_bufferSize(
          handle, params, CUSOLVER_EIG_MODE_VECTOR, triangle, n, kType,
          data.data(), n, kType, w.data(), kType, on_device, on_host);
    });
    ASSERT_EQ(
        cusolverDnXsyevd(handle, params, CUSOLVER_EIG_MODE_VECTOR, triangle, n,
                         kType, data.data(), n, kType, w.data(), kType,
                         work.data(), work.size(), nullptr, 0, info.data()),
        CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(this->infos_later(info)[0], 0);
    const Dense v = this->read(data, n, n);
    const Dense values = this->read(w, n, 1);
    EXPECT_TRUE(std::is_sorted(values.items.begin(), values.items.end()));
    Dense scaled = v;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) scaled(i, j) *= values(j, 0);
    }
    expect_near(a * v, scaled, 20 * tolerance);
  }
}

TYPED_TEST(CusolverTest, BatchedEigenvaluesAreThoseOfEachMatrix) {
  CATENA_MEMBERS;
  const int64_t n = 3;
  Dense stack(n, 2 * n);
  for (int64_t i = 0; i < n; ++i) {
    stack(i, i) = static_cast<double>(n - i);
    stack(i, n + i) = static_cast<double>(10 * i);
  }
  const auto data = this->to_device(stack);
  const DeviceArray<T> w(static_cast<size_t>(2 * n));
  const DeviceArray<int> infos(2);
  const auto work = this->workspace([&](size_t* on_device, size_t* on_host) {
    return cusolverDnXsyevBatched_bufferSize(
        handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n,
        kType, data.data(), n, kType, w.data(), kType, on_device, on_host, 2);
  });
  ASSERT_EQ(
      cusolverDnXsyevBatched(handle, params, CUSOLVER_EIG_MODE_NOVECTOR,
                             CUBLAS_FILL_MODE_LOWER, n, kType, data.data(), n,
                             kType, w.data(), kType, work.data(), work.size(),
                             nullptr, 0, infos.data(), 2),
      CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(this->infos_later(infos), (std::vector<int>{0, 0}));
  const std::vector<T> values = w.read(this->stream_);
  const std::vector<T> expected{1, 2, 3, 0, 10, 20};
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 10 * tolerance);
  }
}

TYPED_TEST(CusolverTest, SingularVectorsGiveTheMatrixBack) {
  CATENA_MEMBERS;
  const int64_t m = 6;
  const int64_t n = 4;
  const Dense a = random_matrix(m, n);
  for (const signed char job_u : {'A', 'S', 'N'}) {
    const signed char job_vt = job_u == 'N' ? 'N' : 'A';
    const auto data = this->to_device(a);
    const DeviceArray<T> s(n);
    const DeviceArray<T> u(m * m);
    const DeviceArray<T> vt(n * n);
    const DeviceArray<int> info(1);
    T* const u_or_null = job_u == 'N' ? nullptr : u.data();
    T* const vt_or_null = job_u == 'N' ? nullptr : vt.data();
    const auto work = this->workspace([&](size_t* on_device, size_t* on_host) {
      return cusolverDnXgesvd_bufferSize(handle, params, job_u, job_vt, m, n,
                                         kType, data.data(), m, kType, s.data(),
                                         kType, u_or_null, m, kType, vt_or_null,
                                         n, kType, on_device, on_host);
    });
    ASSERT_EQ(cusolverDnXgesvd(
                  handle, params, job_u, job_vt, m, n, kType, data.data(), m,
                  kType, s.data(), kType, u_or_null, m, kType, vt_or_null, n,
                  kType, work.data(), work.size(), nullptr, 0, info.data()),
              CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(this->infos_later(info)[0], 0);
    const Dense values = this->read(s, n, 1);
    EXPECT_TRUE(std::is_sorted(values.items.rbegin(), values.items.rend()));
    double squares = 0;
    for (const double x : a.items) squares += x * x;
    for (const double x : values.items) squares -= x * x;
    EXPECT_NEAR(squares, 0, 20 * tolerance);
    if (job_u == 'N') continue;
    Dense left = this->read(u, m, n);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) left(i, j) *= values(j, 0);
    }
    expect_near(left * this->read(vt, n, n), a, 10 * tolerance);
    if (job_u == 'A') {
      const Dense whole = this->read(u, m, m);
      expect_near(transpose(whole) * whole, identity(m), 10 * tolerance);
    }
  }
}

using PlainCusolverTest = CusolverTest<float>;

TEST_F(PlainCusolverTest, RefusesBadArguments) {
  const DeviceArray<float> a(16);
  const DeviceArray<int64_t> pivots(4);
  const DeviceArray<int> info(1);
  const DeviceArray<char> work(1000);
  int on_host = 0;
  const auto getrf = [&](int64_t n, int64_t lda, cudaDataType type,
                         void* buffer, size_t bytes, int* status) {
    return cusolverDnXgetrf(handle_, params_, n, n, CUDA_R_32F, a.data(), lda,
                            pivots.data(), type, buffer, bytes, nullptr, 0,
                            status);
  };
  for (const cusolverStatus_t status :
       {getrf(-1, 4, CUDA_R_32F, work.data(), 1000, info.data()),
        getrf(4, 3, CUDA_R_32F, work.data(), 1000, info.data()),
        getrf(4, 4, CUDA_R_64F, work.data(), 1000, info.data()),
        getrf(4, 4, CUDA_R_32F, work.data(), 15, info.data()),
        getrf(4, 4, CUDA_R_32F, nullptr, 1000, info.data()),
        getrf(4, 4, CUDA_R_32F, work.data(), 1000, &on_host)}) {
    EXPECT_EQ(status, CUSOLVER_STATUS_INVALID_VALUE);
  }
  EXPECT_EQ(getrf(4, 4, CUDA_R_32F, work.data(), 1000, info.data()),
            CUSOLVER_STATUS_SUCCESS);
  // More columns than rows.
  size_t bytes = 0;
  size_t bytes_on_host = 0;
  EXPECT_EQ(cusolverDnXgesvd_bufferSize(
                handle_, params_, 'N', 'N', 2, 3, CUDA_R_32F, a.data(), 2,
                CUDA_R_32F, a.data(), CUDA_R_32F, nullptr, 2, CUDA_R_32F,
                nullptr, 3, CUDA_R_32F, &bytes, &bytes_on_host),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TEST_F(PlainCusolverTest, KnowsItsStream) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cusolverDnGetStream(handle_, &stream), CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(stream, stream_);
  EXPECT_EQ(cusolverDnSetStream(nullptr, stream),
            CUSOLVER_STATUS_NOT_INITIALIZED);
}

}  // namespace
}  // namespace catena::cuda::emulation
