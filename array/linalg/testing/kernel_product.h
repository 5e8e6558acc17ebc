#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "catena/array/core/named_fields_only.h"
#include "catena/array/linalg/gemm.h"

// Products by a matrix product kernel, and by the definition.
namespace catena::testing {

// A row-major matrix with padding between rows, but none after the last one.
template <class T>
struct Matrix {
  Matrix(int64_t rows, int64_t columns, T value)
      : ld(columns + 3), values((rows - 1) * ld + columns, value) {}
  char* data() { return reinterpret_cast<char*>(values.data()); }
  T& at(int64_t i, int64_t j) { return values[i * ld + j]; }
  int64_t ld;
  std::vector<T> values;
};

// -2 to 2, so that all sums are exact.
template <class T>
Matrix<T> integers(int64_t rows, int64_t columns) {
  static std::mt19937 random(5);
  Matrix<T> matrix(rows, columns, T(0.0f));
  for (T& value : matrix.values) {
    value = static_cast<T>(static_cast<float>(random() % 5) - 2);
  }
  return matrix;
}

struct ProductSize {
  int64_t m, n, k;
};

struct ProductOptions {
  NamedFieldsOnly keywords = {};
  bool a_transposed = false;
  bool b_transposed = false;
  double alpha = 1;
  double beta = 0;
  bool has_bias = false;
};

// kernel(args, a, b, c) with the matrices as they are in memory.
template <class T, class Kernel>
void multiply(const Kernel& kernel, const ProductSize& size,
              const ProductOptions& options, Matrix<T>& a, Matrix<T>& b,
              Matrix<T>& bias, Matrix<T>& c) {
  array::GemmArgs args = {};
  args.m = size.m;
  args.n = size.n;
  args.k = size.k;
  args.alpha = options.alpha;
  args.beta = options.beta;
  args.a.ld = a.ld;
  args.a.transposed = options.a_transposed;
  args.b.ld = b.ld;
  args.b.transposed = options.b_transposed;
  args.c.ld = c.ld;
  if (options.has_bias) args.bias = bias.data();
  kernel(args, a.data(), b.data(), c.data());
}

// Expects the kernel's product of integers to be exact, or rounded once to T.
// With beta 0, C holds NaN before.
template <class T, class Kernel>
void check_product(const Kernel& kernel, const ProductSize& size,
                   const ProductOptions& options) {
  const auto [m, n, k] = size;
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " +
               std::to_string(k) + (options.a_transposed ? " A^T" : "") +
               (options.b_transposed ? " B^T" : ""));
  Matrix<T> a = options.a_transposed ? integers<T>(k, m) : integers<T>(m, k);
  Matrix<T> b = options.b_transposed ? integers<T>(n, k) : integers<T>(k, n);
  Matrix<T> bias = integers<T>(1, n);
  const T untouched = static_cast<T>(77.0f);
  Matrix<T> c(m, n, untouched);
  Matrix<double> expected(m, n, static_cast<double>(untouched));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const auto before = static_cast<double>((i + j) % 7);
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum +=
            static_cast<double>(options.a_transposed ? a.at(l, i)
                                                     : a.at(i, l)) *
            static_cast<double>(options.b_transposed ? b.at(j, l) : b.at(l, j));
      }
      c.at(i, j) = static_cast<T>(options.beta == 0
                                      ? std::numeric_limits<float>::quiet_NaN()
                                      : static_cast<float>(before));
      double& result = expected.at(i, j);
      result = options.alpha * sum;
      if (options.beta != 0) result += options.beta * before;
      if (options.has_bias) result += static_cast<double>(bias.at(0, j));
      result = static_cast<double>(static_cast<T>(static_cast<float>(result)));
    }
  }
  multiply(kernel, size, options, a, b, bias, c);
  const std::vector<double> values(c.values.begin(), c.values.end());
  EXPECT_EQ(values, expected.values);
}

}  // namespace catena::testing
