#include <cublasLt.h>
#include <cublas_v2.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "catena/array/core/float16.h"
#include "catena/cuda/emulation/library_test.h"

namespace catena::cuda::emulation {
namespace {

template <class T>
struct Types;
template <>
struct Types<float> {
  static constexpr cudaDataType kStored = CUDA_R_32F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_32F;
  using Scale = float;
  static constexpr double kEpsilon = 0x1p-23;
};
template <>
struct Types<float16> : Types<float> {
  static constexpr cudaDataType kStored = CUDA_R_16F;
  static constexpr double kEpsilon = 0x1p-10;
};
template <>
struct Types<bfloat16> : Types<float> {
  static constexpr cudaDataType kStored = CUDA_R_16BF;
  static constexpr double kEpsilon = 0x1p-7;
};
template <>
struct Types<double> {
  static constexpr cudaDataType kStored = CUDA_R_64F;
  static constexpr cublasComputeType_t kCompute = CUBLAS_COMPUTE_64F;
  using Scale = double;
  static constexpr double kEpsilon = 0x1p-52;
};

class CublasTest : public LibraryTest {
 protected:
  void SetUp() override {
    LibraryTest::SetUp();
    ASSERT_EQ(cublasCreate(&handle_), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasSetStream(handle_, stream_), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cublasDestroy(handle_), CUBLAS_STATUS_SUCCESS);
    LibraryTest::TearDown();
  }

  cublasHandle_t handle_ = nullptr;
};

struct Product {
  int64_t m = 5;
  int64_t n = 4;
  int64_t k = 3;
  bool transa = false;
  bool transb = false;
  double alpha = 1;
  double beta = 0;
  int64_t batch = 1;
};

// One product with random matrices, which have gaps between columns and
// between matrices.
template <class T>
class Case {
 public:
  explicit Case(const Product& product)
      : p_(product),
        lda_((p_.transa ? p_.k : p_.m) + 2),
        ldb_((p_.transb ? p_.n : p_.k) + 1),
        ldc_(p_.m + 3),
        stride_a_(aligned(lda_ * (p_.transa ? p_.m : p_.k) + 5)),
        stride_b_(aligned(ldb_ * (p_.transb ? p_.k : p_.n))),
        stride_c_(aligned(ldc_ * p_.n + 1)),
        a_(random(stride_a_ * p_.batch)),
        b_(random(stride_b_ * p_.batch)),
        c_(random(stride_c_ * p_.batch)) {}

  cublasStatus_t run(cublasHandle_t handle) {
    auto alpha = static_cast<typename Types<T>::Scale>(p_.alpha);
    auto beta = static_cast<typename Types<T>::Scale>(p_.beta);
    const cublasStatus_t status = cublasGemmStridedBatchedEx_64(
        handle, p_.transa ? CUBLAS_OP_T : CUBLAS_OP_N,
        p_.transb ? CUBLAS_OP_T : CUBLAS_OP_N, p_.m, p_.n, p_.k, &alpha,
        device_a_.data(), Types<T>::kStored, lda_, stride_a_, device_b_.data(),
        Types<T>::kStored, ldb_, stride_b_, &beta, device_c_.data(),
        Types<T>::kStored, ldc_, stride_c_, p_.batch, Types<T>::kCompute,
        CUBLAS_GEMM_DEFAULT);
    // The call has read them.
    alpha = beta = std::numeric_limits<float>::quiet_NaN();
    return status;
  }
  // By the addresses of the matrices.
  cublasStatus_t run_at_addresses(cublasHandle_t handle) {
    const auto alpha = static_cast<typename Types<T>::Scale>(p_.alpha);
    const auto beta = static_cast<typename Types<T>::Scale>(p_.beta);
    const auto addresses = [&](T* data, int64_t stride) {
      std::vector<void*> result;
      for (int64_t i = 0; i < p_.batch; ++i) {
        result.push_back(data + i * stride);
      }
      return DeviceArray<void*>(result);
    };
    a_addresses_ = addresses(device_a_.data(), stride_a_);
    b_addresses_ = addresses(device_b_.data(), stride_b_);
    c_addresses_ = addresses(device_c_.data(), stride_c_);
    return cublasGemmBatchedEx_64(
        handle, p_.transa ? CUBLAS_OP_T : CUBLAS_OP_N,
        p_.transb ? CUBLAS_OP_T : CUBLAS_OP_N, p_.m, p_.n, p_.k, &alpha,
        a_addresses_.data(), Types<T>::kStored, lda_, b_addresses_.data(),
        Types<T>::kStored, ldb_, &beta, c_addresses_.data(), Types<T>::kStored,
        ldc_, p_.batch, Types<T>::kCompute, CUBLAS_GEMM_DEFAULT);
  }
  std::vector<T> result(cudaStream_t stream) const {
    return device_c_.read(stream);
  }
  void fill_c(float value) {
    c_.assign(c_.size(), T(value));
    device_c_ = DeviceArray<T>(c_);
  }

  void expect_right(const std::vector<T>& result) const {
    const double tolerance =
        4 * Types<T>::kEpsilon * (1 + static_cast<double>(p_.k));
    for (int64_t i = 0; i < p_.batch; ++i) {
      for (int64_t column = 0; column < p_.n; ++column) {
        for (int64_t row = 0; row < ldc_; ++row) {
          const auto at =
              static_cast<size_t>(i * stride_c_ + column * ldc_ + row);
          const auto actual = static_cast<double>(result[at]);
          const auto before = static_cast<double>(c_[at]);
          if (row >= p_.m) {
            ASSERT_EQ(actual, before) << "between columns";
          } else {
            ASSERT_NEAR(actual, element(i, row, column, before), tolerance)
                << i << ", " << row << ", " << column;
          }
        }
      }
    }
  }

 private:
  double element(int64_t i, int64_t row, int64_t column, double before) const {
    double sum = 0;
    for (int64_t x = 0; x < p_.k; ++x) {
      const int64_t at_a = p_.transa ? row * lda_ + x : x * lda_ + row;
      const int64_t at_b = p_.transb ? x * ldb_ + column : column * ldb_ + x;
      sum +=
          static_cast<double>(a_[static_cast<size_t>(i * stride_a_ + at_a)]) *
          static_cast<double>(b_[static_cast<size_t>(i * stride_b_ + at_b)]);
    }
    return p_.alpha * sum + (p_.beta != 0 ? p_.beta * before : 0);
  }
  // Tensor cores need addresses that are multiples of 16.
  static int64_t aligned(int64_t size) { return (size + 7) / 8 * 8; }
  std::vector<T> random(int64_t size) {
    std::uniform_real_distribution<float> numbers(-1, 1);
    std::vector<T> result(static_cast<size_t>(size));
    for (T& x : result) x = T(numbers(random_));
    return result;
  }

  std::mt19937 random_;
  Product p_;
  int64_t lda_, ldb_, ldc_;
  int64_t stride_a_, stride_b_, stride_c_;
  std::vector<T> a_, b_, c_;
  DeviceArray<T> device_a_{a_}, device_b_{b_}, device_c_{c_};
  DeviceArray<void*> a_addresses_{1}, b_addresses_{1}, c_addresses_{1};
};

template <class T>
class TypedCublasTest : public CublasTest {};
using Floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(TypedCublasTest, Floats);

TYPED_TEST(TypedCublasTest, ComputesProductsInAnyOrder) {
  for (const bool transa : {false, true}) {
    for (const bool transb : {false, true}) {
      for (const double beta : {0.0, 1.0, -0.5}) {
        Case<TypeParam> product({.m = 7,
                                 .n = 6,
                                 .k = 9,
                                 .transa = transa,
                                 .transb = transb,
                                 .alpha = 0.75,
                                 .beta = beta,
                                 .batch = 3});
        ASSERT_EQ(product.run(this->handle_), CUBLAS_STATUS_SUCCESS);
        product.expect_right(product.result(this->stream_));
      }
    }
  }
}

TYPED_TEST(TypedCublasTest, ComputesProductsOfMatricesAtAddresses) {
  for (const bool trans : {false, true}) {
    for (const double beta : {0.0, -0.5}) {
      Case<TypeParam> product({.m = 7,
                               .n = 6,
                               .k = 9,
                               .transa = trans,
                               .transb = !trans,
                               .alpha = 0.75,
                               .beta = beta,
                               .batch = 3});
      ASSERT_EQ(product.run_at_addresses(this->handle_), CUBLAS_STATUS_SUCCESS);
      product.expect_right(product.result(this->stream_));
    }
  }
}

TYPED_TEST(TypedCublasTest, BetaZeroDoesNotReadC) {
  Case<TypeParam> product({.alpha = 2});
  product.fill_c(std::numeric_limits<float>::infinity());
  ASSERT_EQ(product.run(this->handle_), CUBLAS_STATUS_SUCCESS);
  product.expect_right(product.result(this->stream_));
}

TYPED_TEST(TypedCublasTest, EmptySumsScaleC) {
  Case<TypeParam> product({.k = 0, .beta = 0.5});
  ASSERT_EQ(product.run(this->handle_), CUBLAS_STATUS_SUCCESS);
  product.expect_right(product.result(this->stream_));
}

TEST_F(CublasTest, RunsInTheOrderOfItsStream) {
  Case<float> product({.beta = 1});
  ASSERT_EQ(product.run(handle_), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(is_pending());
  const auto result = product.result(stream_);
  EXPECT_FALSE(is_pending());
  product.expect_right(result);
}

TEST_F(CublasTest, SixteenBitSumsAreRoundedOnce) {
  // 2048 + 1 is no float16, but 2048 + 4 is.
  const std::vector<float16> a{float16(2048), float16(1), float16(1),
                               float16(1), float16(1)};
  const DeviceArray<float16> left(a);
  const DeviceArray<float16> right(std::vector<float16>(5, float16(1)));
  const DeviceArray<float16> c(1);
  const float one = 1;
  const float zero = 0;
  ASSERT_EQ(
      cublasGemmStridedBatchedEx_64(
          handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 5, &one, left.data(),
          CUDA_R_16F, 1, 0, right.data(), CUDA_R_16F, 5, 0, &zero, c.data(),
          CUDA_R_16F, 1, 0, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(c.read(stream_)[0], 2052.0f);
}

TEST_F(CublasTest, AddressesOfSixteenBitMatricesMustBeAligned) {
  const DeviceArray<float16> matrix(std::vector<float16>(8));
  const DeviceArray<void*> aligned(std::vector<void*>{matrix.data()});
  const DeviceArray<void*> shifted(std::vector<void*>{matrix.data() + 1});
  const float one = 1;
  const auto call = [&](const DeviceArray<void*>& a) {
    return cublasGemmBatchedEx_64(
        handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.data(), CUDA_R_16F,
        1, aligned.data(), CUDA_R_16F, 1, &one, aligned.data(), CUDA_R_16F, 1,
        1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  EXPECT_EQ(call(aligned), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(call(shifted), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorLaunchFailure);
  reset_devices();
}

TEST_F(CublasTest, RefusesBadArguments) {
  const DeviceArray<float> device(std::vector<float>(100));
  std::vector<float> host(100);
  const float one = 1;
  const auto call = [&](int64_t m, int64_t lda, int64_t ldb, int64_t ldc,
                        const float* a, long long stride_c,
                        cudaDataType c_type) {
    return cublasGemmStridedBatchedEx_64(
        handle_, CUBLAS_OP_N, CUBLAS_OP_T, m, 3, 4, &one, a, CUDA_R_32F, lda, 0,
        device.data(), CUDA_R_32F, ldb, 0, &one, device.data(), c_type, ldc,
        stride_c, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  const float* data = device.data();
  EXPECT_EQ(call(5, 5, 3, 5, data, 20, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(call(0, 1, 3, 1, data, 20, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
  for (const cublasStatus_t status :
       {call(-1, 5, 3, 5, data, 20, CUDA_R_32F),
        call(5, 4, 3, 5, data, 20, CUDA_R_32F),
        call(5, 5, 2, 5, data, 20, CUDA_R_32F),
        call(5, 5, 3, 4, data, 20, CUDA_R_32F),
        call(5, 5, 3, 5, nullptr, 20, CUDA_R_32F),
        call(5, 5, 3, 5, host.data(), 20, CUDA_R_32F),
        call(5, 5, 3, 5, data, 0, CUDA_R_32F)}) {
    EXPECT_EQ(status, CUBLAS_STATUS_INVALID_VALUE);
  }
  EXPECT_EQ(call(5, 5, 3, 5, data, 20, CUDA_R_64F),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_F(CublasTest, BelongsToTheDeviceOfItsCreation) {
  Case<float> product({});
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(product.run(handle_), CUBLAS_STATUS_EXECUTION_FAILED);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST_F(CublasTest, UsesItsWorkspaceUntilTheStreamChanges) {
  const DeviceArray<char> workspace(std::vector<char>(10000));
  ASSERT_EQ(cublasSetWorkspace(handle_, workspace.data(), 10000),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSetWorkspace(handle_, workspace.data() + 8, 1000),
            CUBLAS_STATUS_INVALID_VALUE);
  Case<float> product({});
  ASSERT_EQ(product.run(handle_), CUBLAS_STATUS_SUCCESS);
  EXPECT_NE(workspace.read(stream_), std::vector<char>(10000));

  const DeviceArray<char> unused(std::vector<char>(10000));
  ASSERT_EQ(cublasSetWorkspace(handle_, unused.data(), 10000),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasSetStream(handle_, stream_), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(product.run(handle_), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(unused.read(stream_), std::vector<char>(10000));
}

TEST_F(CublasTest, KeepsItsSettings) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cublasGetStream(handle_, &stream), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(stream, stream_);
  cublasMath_t mode{};
  const auto wanted = static_cast<cublasMath_t>(
      CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  EXPECT_EQ(cublasSetMathMode(handle_, wanted), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetMathMode(handle_, &mode), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(mode, wanted);
  EXPECT_EQ(cublasSetMathMode(nullptr, wanted), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST(CublasStatusTest, HasANameAndAText) {
  EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_NOT_INITIALIZED),
               "CUBLAS_STATUS_NOT_INITIALIZED");
  EXPECT_STREQ(cublasGetStatusString(CUBLAS_STATUS_INVALID_VALUE),
               "an argument is invalid");
}

}  // namespace
}  // namespace catena::cuda::emulation
