// cuSOLVER on the host, by the LAPACK in OpenBLAS.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <vector>

#include "catena/array/core/lapack.h"
#include "catena/cuda/emulation/faults.h"
#include "catena/cuda/emulation/library_call.h"
#include "catena/cuda/emulation/runtime.h"
#include "cusolverDn.h"

struct cusolverDnContext {
  int device;
  cudaStream_t stream = nullptr;
};
struct cusolverDnParams {};

namespace catena::cuda::emulation {
namespace {

using cpu::Lapack;

// Extents as LAPACK wants them, and whether all of them are valid.
class Extents {
 public:
  // At least `min`.
  int take(int64_t value, int64_t min = 0) {
    are_valid_ =
        are_valid_ && value >= min && value <= std::numeric_limits<int>::max();
    return static_cast<int>(value);
  }
  // The leading dimension of a matrix with this many rows.
  int take_ld(int64_t value, int64_t rows) {
    return take(value, std::max<int64_t>(1, rows));
  }
  bool are_valid() const { return are_valid_; }

 private:
  bool are_valid_ = true;
};

// What a call does on the stream with its workspace of `bytes` bytes.
template <class Run>
struct Plan {
  bool is_valid;
  size_t bytes;
  Run run;
};
template <class Run>
Plan(bool, size_t, Run) -> Plan<Run>;

template <class T>
auto plan_getrf(int64_t rows, int64_t columns, void* a, int64_t leading,
                int64_t* pivots, int* info) {
  Extents extents;
  const int m = extents.take(rows);
  const int n = extents.take(columns);
  const int lda = extents.take_ld(leading, rows);
  const int k = std::min(m, n);
  const size_t bytes = static_cast<size_t>(std::max(k, 0)) * sizeof(int);
  return Plan{extents.are_valid(), bytes, [=](void* work) {
                auto* const narrow = static_cast<int*>(work);
                Lapack<T>::getrf(&m, &n, static_cast<T*>(a), &lda, narrow,
                                 info);
                std::copy_n(narrow, k, pivots);
              }};
}

template <class T>
auto plan_getrs(cublasOperation_t operation, int64_t order, int64_t columns,
                const void* a, int64_t leading_a, const int64_t* pivots,
                void* b, int64_t leading_b, int* info) {
  Extents extents;
  const int n = extents.take(order);
  const int nrhs = extents.take(columns);
  const int lda = extents.take_ld(leading_a, order);
  const int ldb = extents.take_ld(leading_b, order);
  const char trans = operation == CUBLAS_OP_N ? 'N' : 'T';
  return Plan{extents.are_valid(), 0, [=](void*) {
                const std::vector<int> narrow(pivots, pivots + n);
                Lapack<T>::getrs(&trans, &n, &nrhs, static_cast<const T*>(a),
                                 &lda, narrow.data(), static_cast<T*>(b), &ldb,
                                 info);
              }};
}

char name_of(cublasFillMode_t triangle) {
  return triangle == CUBLAS_FILL_MODE_UPPER ? 'U' : 'L';
}
bool is_triangle(cublasFillMode_t triangle) {
  return triangle == CUBLAS_FILL_MODE_LOWER ||
         triangle == CUBLAS_FILL_MODE_UPPER;
}

template <class T>
auto plan_potrf(cublasFillMode_t triangle, int64_t order, void* a,
                int64_t leading, int* info) {
  Extents extents;
  const int n = extents.take(order);
  const int lda = extents.take_ld(leading, order);
  const char uplo = name_of(triangle);
  return Plan{extents.are_valid() && is_triangle(triangle), 0, [=](void*) {
                Lapack<T>::potrf(&uplo, &n, static_cast<T*>(a), &lda, info);
              }};
}

template <class T>
void destroy_other_triangle(cublasFillMode_t triangle, int64_t n, T* a,
                            int64_t lda) {
  for (int64_t column = 0; column < n; ++column) {
    for (int64_t row = 0; row < n; ++row) {
      const bool is_other =
          triangle == CUBLAS_FILL_MODE_UPPER ? row > column : row < column;
      if (is_other) {
        a[column * lda + row] = std::numeric_limits<T>::quiet_NaN();
      }
    }
  }
}

template <class T>
auto plan_potrf_batched(cublasFillMode_t triangle, int64_t order, T** a,
                        int64_t leading, int* infos, int batch) {
  const auto valid = plan_potrf<T>(triangle, order, nullptr, leading, nullptr);
  return Plan{
      valid.is_valid && batch >= 0, 0, [=](void*) {
        for (int i = 0; i < batch; ++i) {
          plan_potrf<T>(triangle, order, a[i], leading, infos + i).run(nullptr);
          destroy_other_triangle(triangle, order, a[i], leading);
        }
      }};
}

// The plan of call(work, lwork, info), whose workspace LAPACK chooses.
template <class T, class Call>
auto plan_call(bool is_valid, Call call, int* info) {
  int elements = 0;
  if (is_valid) {
    elements = static_cast<int>(
        cpu::wanted_workspace<T>([&](T* wanted, const int* lwork) {
          int unused = 0;
          call(wanted, lwork, &unused);
        }));
  }
  return Plan{
      is_valid, static_cast<size_t>(elements) * sizeof(T),
      [=](void* work) { call(static_cast<T*>(work), &elements, info); }};
}

template <class T>
auto plan_geqrf(int64_t rows, int64_t columns, void* a, int64_t leading,
                void* tau, int* info) {
  Extents extents;
  const int m = extents.take(rows);
  const int n = extents.take(columns);
  const int lda = extents.take_ld(leading, rows);
  const auto call = [=](T* work, const int* lwork, int* status) {
    Lapack<T>::geqrf(&m, &n, static_cast<T*>(a), &lda, static_cast<T*>(tau),
                     work, lwork, status);
  };
  return plan_call<T>(extents.are_valid(), call, info);
}

template <class T>
auto plan_orgqr(int m, int n, int k, T* a, int lda, const T* tau, int* info) {
  Extents extents;
  extents.take(m);
  extents.take(n);
  extents.take(k);
  extents.take_ld(lda, m);
  const bool is_valid = extents.are_valid() && m >= n && n >= k;
  const auto call = [=](T* work, const int* lwork, int* status) {
    Lapack<T>::orgqr(&m, &n, &k, a, &lda, tau, work, lwork, status);
  };
  return plan_call<T>(is_valid, call, info);
}

// The workspace is one of LAPACK's elements, then one of its integers.
template <class T>
auto plan_syevd(cusolverEigMode_t mode, cublasFillMode_t triangle,
                int64_t order, void* a, int64_t leading, void* w, int* infos,
                int64_t batch = 1) {
  Extents extents;
  const int n = extents.take(order);
  const int lda = extents.take_ld(leading, order);
  extents.take(batch);
  const bool is_valid =
      extents.are_valid() && is_triangle(triangle) &&
      (mode == CUSOLVER_EIG_MODE_NOVECTOR || mode == CUSOLVER_EIG_MODE_VECTOR);
  const char job = mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N';
  const char uplo = name_of(triangle);
  int elements = 0;
  int integers = 0;
  if (is_valid) {
    elements = static_cast<int>(
        cpu::wanted_workspace<T>([&](T* wanted, const int* lwork) {
          int unused = 0;
          Lapack<T>::syevd(&job, &uplo, &n, static_cast<T*>(nullptr), &lda,
                           static_cast<T*>(nullptr), wanted, lwork, &integers,
                           lwork, &unused);
        }));
  }
  const size_t bytes = static_cast<size_t>(elements) * sizeof(T) +
                       static_cast<size_t>(integers) * sizeof(int);
  return Plan{is_valid, bytes, [=](void* work) {
                auto* const numbers = static_cast<T*>(work);
                auto* const counts = reinterpret_cast<int*>(numbers + elements);
                for (int64_t i = 0; i < batch; ++i) {
                  Lapack<T>::syevd(
                      &job, &uplo, &n, static_cast<T*>(a) + i * leading * order,
                      &lda, static_cast<T*>(w) + i * order, numbers, &elements,
                      counts, &integers, infos + i);
                }
              }};
}

bool is_svd_job(signed char job) {
  return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}
bool stores_vectors(signed char job) { return job == 'A' || job == 'S'; }

template <class T>
auto plan_gesvd(signed char job_u, signed char job_vt, int64_t rows,
                int64_t columns, void* a, int64_t leading_a, void* s, void* u,
                int64_t leading_u, void* vt, int64_t leading_vt, int* info) {
  Extents extents;
  const int m = extents.take(rows, columns);
  const int n = extents.take(columns);
  const int lda = extents.take_ld(leading_a, rows);
  const int ldu = extents.take_ld(leading_u, stores_vectors(job_u) ? rows : 1);
  const int ldvt =
      extents.take_ld(leading_vt, stores_vectors(job_vt) ? columns : 1);
  const bool is_valid = extents.are_valid() && is_svd_job(job_u) &&
                        is_svd_job(job_vt) && !(job_u == 'O' && job_vt == 'O');
  const auto call = [=](T* work, const int* lwork, int* status) {
    const char letters[] = {static_cast<char>(job_u),
                            static_cast<char>(job_vt)};
    Lapack<T>::gesvd(&letters[0], &letters[1], &m, &n, static_cast<T*>(a), &lda,
                     static_cast<T*>(s), static_cast<T*>(u), &ldu,
                     static_cast<T*>(vt), &ldvt, work, lwork, status);
  };
  return plan_call<T>(is_valid, call, info);
}

// Calls f(T()) for the one type that all are.
template <class F>
cusolverStatus_t with_type(std::initializer_list<cudaDataType> types, F f) {
  const cudaDataType type = *types.begin();
  if (std::any_of(types.begin(), types.end(),
                  [&](cudaDataType other) { return other != type; })) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  if (type == CUDA_R_32F) return f(float());
  if (type == CUDA_R_64F) return f(double());
  return CUSOLVER_STATUS_INVALID_VALUE;
}

// What routines ask for as workspace on the host, so that one that ends too
// early is noticed.
constexpr size_t kHostBytes = 256;
constexpr char kHostPattern = 0x5a;

template <class Run>
cusolverStatus_t report_size(cusolverDnHandle_t handle, const Plan<Run>& plan,
                             size_t* on_device, size_t* on_host) {
  if (is_to_fail("cusolverDn")) return CUSOLVER_STATUS_INTERNAL_ERROR;
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!plan.is_valid || on_device == nullptr || on_host == nullptr) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  *on_device = plan.bytes;
  *on_host = kHostBytes;
  return CUSOLVER_STATUS_SUCCESS;
}

void* host_workspace(void* on_host, size_t bytes) {
  return bytes >= kHostBytes ? on_host : nullptr;
}

bool is_intact(const char* on_host) {
  return std::all_of(on_host, on_host + kHostBytes,
                     [](char byte) { return byte == kHostPattern; });
}

// `arrays` are what the call reads and writes.
template <class Run>
cusolverStatus_t execute(cusolverDnHandle_t handle, const Plan<Run>& plan,
                         std::initializer_list<const void*> arrays,
                         void* workspace = nullptr, size_t bytes = 0,
                         void* on_host = nullptr) {
  if (is_to_fail("cusolverDn")) return CUSOLVER_STATUS_EXECUTION_FAILED;
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!plan.is_valid || !are_reachable(arrays) || bytes < plan.bytes ||
      (plan.bytes > 0 && !are_reachable({workspace}))) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  if (current_device_index() != handle->device) {
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  }
  if (on_host != nullptr) std::memset(on_host, kHostPattern, kHostBytes);
  const cudaError_t status =
      submit(handle->stream, [run = plan.run, workspace, bytes, on_host] {
        if (on_host != nullptr && !is_intact(static_cast<char*>(on_host))) {
          std::fputs(
              "CUDA emulation: cuSOLVER: the workspace on the host was "
              "freed or changed before the work was done\n",
              stderr);
          return fail_device(cudaErrorLaunchFailure);
        }
        scribble(workspace, bytes);
        run(workspace);
      });
  return succeeded(status) ? CUSOLVER_STATUS_SUCCESS
                           : CUSOLVER_STATUS_INTERNAL_ERROR;
}

template <class T>
cusolverStatus_t orgqr_size(cusolverDnHandle_t handle, int m, int n, int k,
                            int lda, int* lwork) {
  size_t bytes = 0;
  size_t on_host = 0;
  if (lwork == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  const cusolverStatus_t status = report_size(
      handle, plan_orgqr<T>(m, n, k, nullptr, lda, nullptr, nullptr), &bytes,
      &on_host);
  if (status == CUSOLVER_STATUS_SUCCESS) {
    *lwork = static_cast<int>(bytes / sizeof(T));
  }
  return status;
}

template <class T>
cusolverStatus_t orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a,
                       int lda, const T* tau, T* work, int lwork, int* info) {
  return execute(handle, plan_orgqr<T>(m, n, k, a, lda, tau, info),
                 {a, tau, info}, work,
                 static_cast<size_t>(std::max(lwork, 0)) * sizeof(T));
}

}  // namespace
}  // namespace catena::cuda::emulation

// ------------------------------------------------------------------------ API

using namespace catena::cuda::emulation;  // NOLINT

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  if (is_to_fail()) return CUSOLVER_STATUS_ALLOC_FAILED;
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (device_count() == 0) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *handle = new cusolverDnContext{.device = current_device_index()};
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete handle;
  return reported(CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_INTERNAL_ERROR);
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle,
                                     cudaStream_t stream) {
  if (is_to_fail()) return CUSOLVER_STATUS_INVALID_VALUE;
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle,
                                     cudaStream_t* stream) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (stream == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  if (is_to_fail()) return CUSOLVER_STATUS_ALLOC_FAILED;
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *params = new cusolverDnParams;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  delete params;
  return reported(CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_INTERNAL_ERROR);
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
    cudaDataType a_type, const void* /*a*/, int64_t lda,
    cudaDataType compute_type, size_t* bytes_on_device, size_t* bytes_on_host) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, compute_type}, [&]<class T>(T) {
    return report_size(handle,
                       plan_getrf<T>(m, n, nullptr, lda, nullptr, nullptr),
                       bytes_on_device, bytes_on_host);
  });
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType a_type, void* a,
                                  int64_t lda, int64_t* pivots,
                                  cudaDataType compute_type, void* on_device,
                                  size_t bytes_on_device, void* on_host,
                                  size_t bytes_on_host, int* info) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, compute_type}, [&]<class T>(T) {
    return execute(handle, plan_getrf<T>(m, n, a, lda, pivots, info),
                   {a, pivots, info}, on_device, bytes_on_device,
                   host_workspace(on_host, bytes_on_host));
  });
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params,
                                  cublasOperation_t operation, int64_t n,
                                  int64_t columns, cudaDataType a_type,
                                  const void* a, int64_t lda,
                                  const int64_t* pivots, cudaDataType b_type,
                                  void* b, int64_t ldb, int* info) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, b_type}, [&]<class T>(T) {
    return execute(
        handle,
        plan_getrs<T>(operation, n, columns, a, lda, pivots, b, ldb, info),
        {a, pivots, b, info});
  });
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cublasFillMode_t triangle, int64_t n, cudaDataType a_type,
    const void* /*a*/, int64_t lda, cudaDataType compute_type,
    size_t* bytes_on_device, size_t* bytes_on_host) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, compute_type}, [&]<class T>(T) {
    return report_size(handle,
                       plan_potrf<T>(triangle, n, nullptr, lda, nullptr),
                       bytes_on_device, bytes_on_host);
  });
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params,
                                  cublasFillMode_t triangle, int64_t n,
                                  cudaDataType a_type, void* a, int64_t lda,
                                  cudaDataType compute_type, void* on_device,
                                  size_t bytes_on_device, void* on_host,
                                  size_t bytes_on_host, int* info) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, compute_type}, [&]<class T>(T) {
    return execute(handle, plan_potrf<T>(triangle, n, a, lda, info), {a, info},
                   on_device, bytes_on_device,
                   host_workspace(on_host, bytes_on_host));
  });
}

cusolverStatus_t cusolverDnSpotrfBatched(cusolverDnHandle_t handle,
                                         cublasFillMode_t triangle, int n,
                                         float* a[], int lda, int* infos,
                                         int batch) {
  return execute(handle, plan_potrf_batched(triangle, n, a, lda, infos, batch),
                 {a, infos});
}
cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t handle,
                                         cublasFillMode_t triangle, int n,
                                         double* a[], int lda, int* infos,
                                         int batch) {
  return execute(handle, plan_potrf_batched(triangle, n, a, lda, infos, batch),
                 {a, infos});
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
    cudaDataType a_type, const void* /*a*/, int64_t lda, cudaDataType tau_type,
    const void* /*tau*/, cudaDataType compute_type, size_t* bytes_on_device,
    size_t* bytes_on_host) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, tau_type, compute_type}, [&]<class T>(T) {
    return report_size(handle,
                       plan_geqrf<T>(m, n, nullptr, lda, nullptr, nullptr),
                       bytes_on_device, bytes_on_host);
  });
}

cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType a_type, void* a,
                                  int64_t lda, cudaDataType tau_type, void* tau,
                                  cudaDataType compute_type, void* on_device,
                                  size_t bytes_on_device, void* on_host,
                                  size_t bytes_on_host, int* info) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, tau_type, compute_type}, [&]<class T>(T) {
    return execute(handle, plan_geqrf<T>(m, n, a, lda, tau, info),
                   {a, tau, info}, on_device, bytes_on_device,
                   host_workspace(on_host, bytes_on_host));
  });
}

cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t handle, int m,
                                             int n, int k, const float* /*a*/,
                                             int lda, const float* /*tau*/,
                                             int* lwork) {
  return orgqr_size<float>(handle, m, n, k, lda, lwork);
}
cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t handle, int m,
                                             int n, int k, const double* /*a*/,
                                             int lda, const double* /*tau*/,
                                             int* lwork) {
  return orgqr_size<double>(handle, m, n, k, lda, lwork);
}
cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t handle, int m, int n,
                                  int k, float* a, int lda, const float* tau,
                                  float* work, int lwork, int* info) {
  return orgqr(handle, m, n, k, a, lda, tau, work, lwork, info);
}
cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n,
                                  int k, double* a, int lda, const double* tau,
                                  double* work, int lwork, int* info) {
  return orgqr(handle, m, n, k, a, lda, tau, work, lwork, info);
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t triangle, int64_t n,
    cudaDataType a_type, const void* a, int64_t lda, cudaDataType w_type,
    const void* w, cudaDataType compute_type, size_t* bytes_on_device,
    size_t* bytes_on_host) {
  return cusolverDnXsyevBatched_bufferSize(
      handle, params, mode, triangle, n, a_type, a, lda, w_type, w,
      compute_type, bytes_on_device, bytes_on_host, 1);
}
cusolverStatus_t cusolverDnXsyevd(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t triangle, int64_t n,
    cudaDataType a_type, void* a, int64_t lda, cudaDataType w_type, void* w,
    cudaDataType compute_type, void* on_device, size_t bytes_on_device,
    void* on_host, size_t bytes_on_host, int* info) {
  return cusolverDnXsyevBatched(handle, params, mode, triangle, n, a_type, a,
                                lda, w_type, w, compute_type, on_device,
                                bytes_on_device, on_host, bytes_on_host, info,
                                1);
}

cusolverStatus_t cusolverDnXsyevBatched_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t triangle, int64_t n,
    cudaDataType a_type, const void* /*a*/, int64_t lda, cudaDataType w_type,
    const void* /*w*/, cudaDataType compute_type, size_t* bytes_on_device,
    size_t* bytes_on_host, int64_t batch) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, w_type, compute_type}, [&]<class T>(T) {
    return report_size(
        handle,
        plan_syevd<T>(mode, triangle, n, nullptr, lda, nullptr, nullptr, batch),
        bytes_on_device, bytes_on_host);
  });
}

cusolverStatus_t cusolverDnXsyevBatched(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t triangle, int64_t n,
    cudaDataType a_type, void* a, int64_t lda, cudaDataType w_type, void* w,
    cudaDataType compute_type, void* on_device, size_t bytes_on_device,
    void* on_host, size_t bytes_on_host, int* infos, int64_t batch) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type({a_type, w_type, compute_type}, [&]<class T>(T) {
    return execute(handle,
                   plan_syevd<T>(mode, triangle, n, a, lda, w, infos, batch),
                   {a, w, infos}, on_device, bytes_on_device,
                   host_workspace(on_host, bytes_on_host));
  });
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u,
    signed char job_vt, int64_t m, int64_t n, cudaDataType a_type,
    const void* /*a*/, int64_t lda, cudaDataType s_type, const void* /*s*/,
    cudaDataType u_type, const void* /*u*/, int64_t ldu, cudaDataType vt_type,
    const void* /*vt*/, int64_t ldvt, cudaDataType compute_type,
    size_t* bytes_on_device, size_t* bytes_on_host) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return with_type(
      {a_type, s_type, u_type, vt_type, compute_type}, [&]<class T>(T) {
        return report_size(
            handle,
            plan_gesvd<T>(job_u, job_vt, m, n, nullptr, lda, nullptr, nullptr,
                          ldu, nullptr, ldvt, nullptr),
            bytes_on_device, bytes_on_host);
      });
}

cusolverStatus_t cusolverDnXgesvd(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u,
    signed char job_vt, int64_t m, int64_t n, cudaDataType a_type, void* a,
    int64_t lda, cudaDataType s_type, void* s, cudaDataType u_type, void* u,
    int64_t ldu, cudaDataType vt_type, void* vt, int64_t ldvt,
    cudaDataType compute_type, void* on_device, size_t bytes_on_device,
    void* on_host, size_t bytes_on_host, int* info) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if ((stores_vectors(job_u) && !are_reachable({u})) ||
      (stores_vectors(job_vt) && !are_reachable({vt}))) {
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  return with_type({a_type, s_type, u_type, vt_type, compute_type},
                   [&]<class T>(T) {
                     return execute(handle,
                                    plan_gesvd<T>(job_u, job_vt, m, n, a, lda,
                                                  s, u, ldu, vt, ldvt, info),
                                    {a, s, info}, on_device, bytes_on_device,
                                    host_workspace(on_host, bytes_on_host));
                   });
}
