#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/axis.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/logsumexp.h"
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
// The same into an existing array.
Work multiply_add_out(const CaseOptions& options) {
  return move_matrix(options, 4,
                     [y = matrix(options), z = matrix(options),
                      out = matrix(options)](const Array& x) {
                       array::multiply(x, y, {.out = out});
                       array::add(out, z, {.out = out});
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
Work cast_from_float16(const CaseOptions& options) {
  return move_bytes(matrix(options).astype(Dtype::kFloat16), 3,
                    [](const Array& x) { return x.astype(Dtype::kFloat32); });
}
Work transpose_array(const CaseOptions& options) {
  return move_matrix(options, 2, [](const Array& x) { return x.T().copy(); });
}

// --- Reductions ---

// Adds the reduction of all elements of a matrix, along its columns ("_rows",
// since it reduces them) and along its rows. `reduce` gets no axis, 0, or 1.
void add_reductions(
    std::vector<Case>& cases, const std::string& name,
    const std::function<void(const Array& x, std::optional<Axis> axis)>& reduce,
    std::optional<Dtype> dtype = std::nullopt) {
  const auto add_case = [&](const char* suffix, std::optional<Axis> axis) {
    cases.push_back(
        {.name = name + suffix,
         .prepare =
             [=](const CaseOptions& options) {
               return move_bytes(
                   matrix(options).astype(dtype.value_or(options.dtype)), 1,
                   [=](const Array& x) { reduce(x, axis); });
             },
         .only_float32 = dtype.has_value(),
         .multiplies = false});
  };
  add_case("", std::nullopt);
  add_case("_rows", 0);
  add_case("_columns", 1);
}

std::vector<Case> reductions() {
  std::vector<Case> cases;
  const auto sum = [](const Array& x, std::optional<Axis> axis) {
    array::sum(x, AxisSet(axis));
  };
  const auto max = [](const Array& x, std::optional<Axis> axis) {
    array::max(x, AxisSet(axis));
  };
  add_reductions(cases, "sum", sum);
  add_reductions(cases, "sum_int32", sum, Dtype::kInt32);
  add_reductions(cases, "sum_float64", sum, Dtype::kFloat64);
  add_reductions(cases, "max", max);
  add_reductions(cases, "max_int32", max, Dtype::kInt32);
  add_reductions(cases, "argmax", [](const Array& x, std::optional<Axis> axis) {
    array::argmax(x, axis);
  });
  add_reductions(cases, "prod", [](const Array& x, std::optional<Axis> axis) {
    array::prod(x, AxisSet(axis));
  });
  add_reductions(cases, "mean", [](const Array& x, std::optional<Axis> axis) {
    array::mean(x, AxisSet(axis));
  });
  add_reductions(cases, "var", [](const Array& x, std::optional<Axis> axis) {
    array::var(x, AxisSet(axis));
  });
  add_reductions(cases, "all", [](const Array& x, std::optional<Axis> axis) {
    array::all(x, AxisSet(axis));
  });
  add_reductions(cases, "logsumexp",
                 [](const Array& x, std::optional<Axis> axis) {
                   const auto scope = no_backprop_mode();
                   F::logsumexp(as_variable(x), AxisSet(axis));
                 });
  return cases;
}

// --- Functions of rows ---

// Adds the function over rows of 1,000 and of 32,000 elements, forward and in
// both directions, which read x twice and gy once, and write y and gx.
// `prepare` gets x's shape and returns the function.
template <class Prepare>
void add_row_function(std::vector<Case>& cases, const std::string& name,
                      const Prepare& prepare) {
  const auto add_case = [&](const std::string& suffix, int64_t columns,
                            bool both_ways) {
    const auto work = [=](const CaseOptions& options) {
      const Shape shape = {side_of(options) * 1000 / columns,
                           options.small ? 10 : columns};
      const auto function = prepare(shape, options.dtype);
      const Array x = uniform(shape, options.dtype);
      if (!both_ways) {
        return move_bytes(x, 2, [function](const Array& x) {
          const auto scope = no_backprop_mode();
          return function(as_variable(x));
        });
      }
      const Variable gy = as_variable(uniform(shape, options.dtype));
      return move_bytes(x, 5, [function, gy](const Array& data) {
        const Variable x(data);
        return grad({function(x)}, {x}, {.grad_outputs = {gy}});
      });
    };
    cases.push_back(
        {.name = name + suffix, .prepare = work, .multiplies = false});
  };
  add_case("", 1000, false);
  add_case("_both_ways", 1000, true);
  add_case("_32000", 32000, false);
  add_case("_32000_both_ways", 32000, true);
}

// Adds the loss of scores: forward, which reads them, and in both directions,
// where they are read twice and their gradient is written.
void add_cross_entropy(std::vector<Case>& cases, int64_t columns) {
  const auto add_case = [&](const std::string& suffix, bool both_ways) {
    const auto work = [=](const CaseOptions& options) {
      const Shape shape = {side_of(options) * 1000 / columns,
                           options.small ? 10 : columns};
      const auto t = as_variable(integers(shape[1], {shape[0]}));
      return move_bytes(uniform(shape, options.dtype), both_ways ? 3 : 1,
                        [t, both_ways](const Array& scores) {
                          Variable x(scores);
                          const auto scope =
                              using_config(&Config::enable_backprop, both_ways);
                          const Variable loss = F::softmax_cross_entropy(x, t);
                          if (both_ways) loss.backward();
                          return both_ways ? x.grad() : loss.data();
                        });
    };
    cases.push_back(
        {.name = str("cross_entropy", columns == 1000 ? "" : str("_", columns),
                     suffix),
         .prepare = work,
         .multiplies = false});
  };
  add_case("", false);
  add_case("_both_ways", true);
}

// Over the classes of each pixel, in both directions.
Work softmax_of_pixels(const CaseOptions& options) {
  const int64_t side = options.small ? 4 : 224;
  const Shape shape = {batch_of_case(options, 2, 32, 8), 21, side, side};
  const Variable gy = as_variable(uniform(shape, options.dtype));
  return move_bytes(uniform(shape, options.dtype), 5, [gy](const Array& data) {
    const Variable x(data);
    return grad({F::softmax(x, 1)}, {x}, {.grad_outputs = {gy}});
  });
}

std::vector<Case> row_functions() {
  std::vector<Case> cases;
  add_row_function(cases, "softmax", [](const Shape&, Dtype) {
    return [](const Variable& x) { return F::softmax(x); };
  });
  add_row_function(cases, "log_softmax", [](const Shape&, Dtype) {
    return [](const Variable& x) { return F::log_softmax(x); };
  });
  add_row_function(
      cases, "layer_normalization", [](const Shape& shape, Dtype dtype) {
        const Variable gamma = as_variable(array::ones({shape[1]}, dtype));
        const Variable beta = as_variable(array::zeros({shape[1]}, dtype));
        return [gamma, beta](const Variable& x) {
          return F::layer_normalization(x, gamma, beta);
        };
      });
  cases.push_back({.name = "softmax_of_pixels",
                   .prepare = softmax_of_pixels,
                   .multiplies = false});
  for (const int64_t columns : {1000, 32000}) {
    add_cross_entropy(cases, columns);
  }
  return cases;
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

}  // namespace

std::vector<Case> array_cases() {
  std::vector<Case> cases = {
      {.name = "launch",
       .prepare = launch_kernels,
       .capture = Case::Capture::kAsItIs,
       .only_float32 = true},
      {.name = "ops_forward", .prepare = ops_forward, .only_float32 = true},
      {.name = "ops_both_ways", .prepare = ops_both_ways, .only_float32 = true},
      {.name = "ops_without_graph",
       .prepare = ops_without_graph,
       .only_float32 = true},
      {.name = "copy", .prepare = copy_array, .multiplies = false},
      {.name = "add", .prepare = add_arrays, .multiplies = false},
      {.name = "multiply_add", .prepare = multiply_add, .multiplies = false},
      {.name = "multiply_add_out",
       .prepare = multiply_add_out,
       .multiplies = false},
      {.name = "add_row", .prepare = add_row, .multiplies = false},
      {.name = "exp", .prepare = exp_array, .multiplies = false},
      {.name = "tanh", .prepare = tanh_array, .multiplies = false},
      {.name = "relu", .prepare = relu_array, .multiplies = false},
      {.name = "to_float16", .prepare = cast_to_float16, .only_float32 = true},
      {.name = "from_float16",
       .prepare = cast_from_float16,
       .only_float32 = true},
      {.name = "transpose", .prepare = transpose_array, .multiplies = false},
      {.name = "matmul", .prepare = multiply_matrices},
      {.name = "small_matmuls", .prepare = multiply_small_matrices},
  };
  for (const auto& more : {reductions(), row_functions()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace catena::benchmarks
