#include <cstdint>
#include <functional>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/normalization/layer_normalization.h"
#include "catena/tests/benchmarks/cases.h"

namespace catena::benchmarks {
namespace {

namespace F = functions;

// --- Small operations ---

// Alternating multiplication by and addition of a constant, of 10 elements.
class Chain {
 public:
  explicit Chain(int64_t operations) : operations_(operations) {}

  Variable operator()() const {
    Variable h = x;
    for (int64_t i = 0; i < operations_; i += 2) {
      h = h * factor_;
      h = h + term_;
    }
    return h;
  }

  Variable x{filled(1.0)};

 private:
  static Array filled(double value) {
    return array::full({10}, value, Dtype::kFloat32);
  }
  int64_t operations_;
  Variable factor_ = as_variable(filled(0.9999));
  Variable term_ = as_variable(filled(0.0001));
};

int64_t operations(const CaseOptions& options) {
  return options.small ? 10 : 1000;
}

Work chain_work(const CaseOptions& options,
                const std::function<void(const Chain&)>& run) {
  const int64_t count = operations(options);
  return {[chain = Chain(count), run] { run(chain); },
          static_cast<double>(count), "operations"};
}

Work ops_forward(const CaseOptions& options) {
  return chain_work(options, [](const Chain& chain) { chain(); });
}

Work ops_without_graph(const CaseOptions& options) {
  return chain_work(options, [](const Chain& chain) {
    const auto scope = no_backprop_mode();
    chain();
  });
}

Work ops_both_ways(const CaseOptions& options) {
  return chain_work(
      options, [seed = array::ones({10}, Dtype::kFloat32)](const Chain& chain) {
        chain.x.cleargrad();
        const Variable y = chain();
        y.set_grad(seed);
        y.backward();
      });
}

// Kernels so small that only their launches take time.
Work launch_kernels(const CaseOptions& options) {
  const int64_t launches = operations(options);
  return {[x = uniform({1}, options.dtype), launches]() mutable {
            for (int64_t i = 0; i < launches; ++i) x += x;
          },
          static_cast<double>(launches), "launches"};
}

// --- Memory ---

int64_t side_of(const CaseOptions& options) {
  return size_of_case(options, 32, 8192, 4096);
}

Array matrix(const CaseOptions& options) {
  const int64_t side = side_of(options);
  return uniform({side, side}, options.dtype);
}

// `move` reads and writes so many bytes of each element of x.
template <class Function>
Work move_bytes(const Array& x, double passes, const Function& move) {
  const auto bytes = static_cast<double>(x.size() * item_size(x.dtype()));
  return {[x, move] { static_cast<void>(move(x)); }, bytes * passes, "B"};
}

template <class Function>
Work move_matrix(const CaseOptions& options, double passes,
                 const Function& move) {
  return move_bytes(matrix(options), passes, move);
}

Work copy_array(const CaseOptions& options) {
  return move_matrix(options, 2, [](const Array& x) { return x.copy(); });
}
Work add_arrays(const CaseOptions& options) {
  return move_matrix(options, 3,
                     [y = matrix(options)](const Array& x) { return x + y; });
}
// As people write it: two passes, counted as the one of array::multiply_add.
Work multiply_add(const CaseOptions& options) {
  return move_matrix(
      options, 4, [y = matrix(options), z = matrix(options)](const Array& x) {
        return x * y + z;
      });
}
Work add_row(const CaseOptions& options) {
  return move_matrix(options, 2,
                     [row = uniform({side_of(options)}, options.dtype)](
                         const Array& x) { return x + row; });
}
Work exp_array(const CaseOptions& options) {
  return move_matrix(options, 2, [](const Array& x) { return array::exp(x); });
}
Work tanh_array(const CaseOptions& options) {
  return move_matrix(options, 2, [](const Array& x) { return array::tanh(x); });
}
Work relu_array(const CaseOptions& options) {
  return move_matrix(options, 2, [](const Array& x) { return array::relu(x); });
}
Work cast_to_float16(const CaseOptions& options) {
  return move_matrix(options, 1.5,
                     [](const Array& x) { return x.astype(Dtype::kFloat16); });
}
Work transpose_array(const CaseOptions& options) {
  return move_matrix(options, 2, [](const Array& x) { return x.T().copy(); });
}
Work sum_array(const CaseOptions& options) {
  return move_matrix(options, 1, [](const Array& x) { return array::sum(x); });
}
Work sum_rows(const CaseOptions& options) {
  return move_matrix(options, 1,
                     [](const Array& x) { return array::sum(x, 0); });
}
Work sum_columns(const CaseOptions& options) {
  return move_matrix(options, 1,
                     [](const Array& x) { return array::sum(x, 1); });
}

// --- Rows of 1,000 elements ---

Array rows_of(const CaseOptions& options) {
  return uniform({side_of(options), options.small ? 10 : 1000}, options.dtype);
}

Work softmax(const CaseOptions& options) {
  return move_bytes(rows_of(options), 2, [](const Array& x) {
    const auto scope = no_backprop_mode();
    return F::softmax(as_variable(x));
  });
}

Work layer_normalization(const CaseOptions& options) {
  const Array x = rows_of(options);
  const Shape columns = {x.shape()[1]};
  const Variable gamma = as_variable(array::ones(columns, options.dtype));
  const Variable beta = as_variable(array::zeros(columns, options.dtype));
  return move_bytes(x, 2, [gamma, beta](const Array& x) {
    const auto scope = no_backprop_mode();
    return F::layer_normalization(as_variable(x), gamma, beta);
  });
}

// Scores are read twice, and their gradient is written.
Work cross_entropy(const CaseOptions& options) {
  const Array x = rows_of(options);
  const auto t = as_variable(integers(x.shape()[1], {x.shape()[0]}));
  return move_bytes(x, 3, [t](const Array& scores) {
    Variable x(scores);
    F::softmax_cross_entropy(x, t).backward();
    return x.grad();
  });
}

// --- Products ---

Work multiply_matrices(const CaseOptions& options) {
  const int64_t n = size_of_case(options, 16, 4096, 2048);
  const Array a = uniform({n, n}, options.dtype);
  const Array b = uniform({n, n}, options.dtype);
  const auto size = static_cast<double>(n);
  return {[a, b] { static_cast<void>(array::matmul(a, b)); },
          2 * size * size * size, "FLOP"};
}

Work multiply_small_matrices(const CaseOptions& options) {
  const int64_t n = options.small ? 8 : 128;
  const Array a = uniform({64, n, n}, options.dtype);
  const Array b = uniform({64, n, n}, options.dtype);
  const auto size = static_cast<double>(n);
  return {[a, b] { static_cast<void>(array::matmul(a, b)); },
          64 * 2 * size * size * size, "FLOP"};
}

// 3x3, from 64 to 64 channels, with both gradients.
Work convolution(const CaseOptions& options) {
  const int64_t channels = options.small ? 4 : 64;
  const int64_t side = options.small ? 8 : 56;
  const int64_t batch = batch_of_case(options, 2, 64, 8);
  const Shape images = {batch, channels, side, side};
  const Variable x(uniform(images, options.dtype));
  const Variable w(uniform({channels, channels, 3, 3}, options.dtype));
  const Variable gy = as_variable(uniform(images, options.dtype));
  const double operations =
      2.0 * 9 * static_cast<double>(channels * channels * batch * side * side);
  return {[x, w, gy] {
            const Variable y = F::convolution_2d(x, w, {}, {.pad = 1});
            grad({y}, {x, w}, {.grad_outputs = {gy}});
          },
          3 * operations, "FLOP"};
}

}  // namespace

std::vector<Case> array_cases() {
  return {
      {.name = "launch",
       .prepare = launch_kernels,
       .capturable = true,
       .only_float32 = true},
      {.name = "ops_forward", .prepare = ops_forward, .only_float32 = true},
      {.name = "ops_both_ways", .prepare = ops_both_ways, .only_float32 = true},
      {.name = "ops_without_graph",
       .prepare = ops_without_graph,
       .only_float32 = true},
      {.name = "copy", .prepare = copy_array, .multiplies = false},
      {.name = "add", .prepare = add_arrays, .multiplies = false},
      {.name = "multiply_add", .prepare = multiply_add, .multiplies = false},
      {.name = "add_row", .prepare = add_row, .multiplies = false},
      {.name = "exp", .prepare = exp_array, .multiplies = false},
      {.name = "tanh", .prepare = tanh_array, .multiplies = false},
      {.name = "relu", .prepare = relu_array, .multiplies = false},
      {.name = "to_float16", .prepare = cast_to_float16, .only_float32 = true},
      {.name = "transpose", .prepare = transpose_array, .multiplies = false},
      {.name = "sum", .prepare = sum_array, .multiplies = false},
      {.name = "sum_rows", .prepare = sum_rows, .multiplies = false},
      {.name = "sum_columns", .prepare = sum_columns, .multiplies = false},
      {.name = "softmax", .prepare = softmax, .multiplies = false},
      {.name = "layer_normalization",
       .prepare = layer_normalization,
       .multiplies = false},
      {.name = "cross_entropy", .prepare = cross_entropy, .multiplies = false},
      {.name = "matmul", .prepare = multiply_matrices},
      {.name = "small_matmuls", .prepare = multiply_small_matrices},
      {.name = "convolution", .prepare = convolution, .convolves = true},
  };
}

}  // namespace catena::benchmarks
