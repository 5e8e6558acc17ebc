#pragma once

// The part of cuSOLVER that catena calls, computed by the host (see
// ../README.md). Names, values and meanings are those of NVIDIA's
// documentation. Matrices are column-major; `info` is LAPACK's, in the device's
// memory.

#include <cstddef>
#include <cstdint>

#include "cublas_v2.h"
#include "cuda_runtime_api.h"

enum cusolverStatus_t {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9
};
enum cusolverEigMode_t {
  CUSOLVER_EIG_MODE_NOVECTOR = 0,
  CUSOLVER_EIG_MODE_VECTOR = 1
};

// Handles, for the device that is current when they are created. A call fails
// if another device is current.
struct cusolverDnContext;
using cusolverDnHandle_t = cusolverDnContext*;
struct cusolverDnParams;
using cusolverDnParams_t = cusolverDnParams*;
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle,
                                     cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle,
                                     cudaStream_t* stream);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);

// P A = L U. Row i was exchanged with row pivots[i], counted from 1.
cusolverStatus_t cusolverDnXgetrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
    cudaDataType a_type, const void* a, int64_t lda, cudaDataType compute_type,
    size_t* bytes_on_device, size_t* bytes_on_host);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType a_type, void* a,
                                  int64_t lda, int64_t* pivots,
                                  cudaDataType compute_type, void* on_device,
                                  size_t bytes_on_device, void* on_host,
                                  size_t bytes_on_host, int* info);

// A X = B or A^T X = B, from the result of Xgetrf.
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params,
                                  cublasOperation_t operation, int64_t n,
                                  int64_t columns, cudaDataType a_type,
                                  const void* a, int64_t lda,
                                  const int64_t* pivots, cudaDataType b_type,
                                  void* b, int64_t ldb, int* info);

// A = L L^T or U^T U.
cusolverStatus_t cusolverDnXpotrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cublasFillMode_t triangle, int64_t n, cudaDataType a_type, const void* a,
    int64_t lda, cudaDataType compute_type, size_t* bytes_on_device,
    size_t* bytes_on_host);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params,
                                  cublasFillMode_t triangle, int64_t n,
                                  cudaDataType a_type, void* a, int64_t lda,
                                  cudaDataType compute_type, void* on_device,
                                  size_t bytes_on_device, void* on_host,
                                  size_t bytes_on_host, int* info);
// The same for matrices whose addresses are in the device's memory. The other
// triangles are destroyed.
cusolverStatus_t cusolverDnSpotrfBatched(cusolverDnHandle_t handle,
                                         cublasFillMode_t triangle, int n,
                                         float* a[], int lda, int* infos,
                                         int batch);
cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t handle,
                                         cublasFillMode_t triangle, int n,
                                         double* a[], int lda, int* infos,
                                         int batch);

// A = Q R, with Q as Householder reflectors.
cusolverStatus_t cusolverDnXgeqrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
    cudaDataType a_type, const void* a, int64_t lda, cudaDataType tau_type,
    const void* tau, cudaDataType compute_type, size_t* bytes_on_device,
    size_t* bytes_on_host);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle,
                                  cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType a_type, void* a,
                                  int64_t lda, cudaDataType tau_type, void* tau,
                                  cudaDataType compute_type, void* on_device,
                                  size_t bytes_on_device, void* on_host,
                                  size_t bytes_on_host, int* info);

// The first n columns of Q (m, m) in place of its first k reflectors. The
// workspace is counted in elements.
cusolverStatus_t cusolverDnSorgqr_bufferSize(cusolverDnHandle_t handle, int m,
                                             int n, int k, const float* a,
                                             int lda, const float* tau,
                                             int* lwork);
cusolverStatus_t cusolverDnDorgqr_bufferSize(cusolverDnHandle_t handle, int m,
                                             int n, int k, const double* a,
                                             int lda, const double* tau,
                                             int* lwork);
cusolverStatus_t cusolverDnSorgqr(cusolverDnHandle_t handle, int m, int n,
                                  int k, float* a, int lda, const float* tau,
                                  float* work, int lwork, int* info);
cusolverStatus_t cusolverDnDorgqr(cusolverDnHandle_t handle, int m, int n,
                                  int k, double* a, int lda, const double* tau,
                                  double* work, int lwork, int* info);

// Eigenvalues w, ascending, of a symmetric matrix, and its eigenvectors in
// place of A.
cusolverStatus_t cusolverDnXsyevd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t triangle, int64_t n,
    cudaDataType a_type, const void* a, int64_t lda, cudaDataType w_type,
    const void* w, cudaDataType compute_type, size_t* bytes_on_device,
    size_t* bytes_on_host);
cusolverStatus_t cusolverDnXsyevd(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t triangle, int64_t n,
    cudaDataType a_type, void* a, int64_t lda, cudaDataType w_type, void* w,
    cudaDataType compute_type, void* on_device, size_t bytes_on_device,
    void* on_host, size_t bytes_on_host, int* info);
// The same for a batch, one matrix after another.
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t triangle, int64_t n,
    cudaDataType a_type, const void* a, int64_t lda, cudaDataType w_type,
    const void* w, cudaDataType compute_type, size_t* bytes_on_device,
    size_t* bytes_on_host, int64_t batch);
cusolverStatus_t cusolverDnXsyevBatched(
    cusolverDnHandle_t handle, cusolverDnParams_t params,
    cusolverEigMode_t mode, cublasFillMode_t triangle, int64_t n,
    cudaDataType a_type, void* a, int64_t lda, cudaDataType w_type, void* w,
    cudaDataType compute_type, void* on_device, size_t bytes_on_device,
    void* on_host, size_t bytes_on_host, int* infos, int64_t batch);

// A = U S V^T for m >= n; A is destroyed. A job is LAPACK's 'A', 'S', 'O' or
// 'N'.
cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u,
    signed char job_vt, int64_t m, int64_t n, cudaDataType a_type,
    const void* a, int64_t lda, cudaDataType s_type, const void* s,
    cudaDataType u_type, const void* u, int64_t ldu, cudaDataType vt_type,
    const void* vt, int64_t ldvt, cudaDataType compute_type,
    size_t* bytes_on_device, size_t* bytes_on_host);
cusolverStatus_t cusolverDnXgesvd(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u,
    signed char job_vt, int64_t m, int64_t n, cudaDataType a_type, void* a,
    int64_t lda, cudaDataType s_type, void* s, cudaDataType u_type, void* u,
    int64_t ldu, cudaDataType vt_type, void* vt, int64_t ldvt,
    cudaDataType compute_type, void* on_device, size_t bytes_on_device,
    void* on_host, size_t bytes_on_host, int* info);
