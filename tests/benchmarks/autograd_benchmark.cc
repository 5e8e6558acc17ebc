// The cost of one operation on tiny arrays: the overhead of recording and
// backpropagation.

#include <benchmark/benchmark.h>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/variable.h"
#include "catena/functions/math/operators.h"

namespace catena {
namespace {

constexpr int kOperations = 1000;

// 1,000 operations on 10 elements, alternating multiplication by and addition
// of a constant.
class Chain {
 public:
  Variable operator()() const {
    Variable h = x_;
    for (int i = 0; i < kOperations / 2; ++i) {
      h = h * w_;
      h = h + b_;
    }
    return h;
  }

  const Variable& x() const { return x_; }

 private:
  static Array filled(double value) {
    return array::full({10}, value, Dtype::kFloat32);
  }
  Variable x_{filled(1.0)};
  Variable w_ = as_variable(filled(0.9999));
  Variable b_ = as_variable(filled(0.0001));
};

void report_time_per_operation(benchmark::State& state) {
  state.counters["per_operation"] = benchmark::Counter(
      kOperations, benchmark::Counter::kIsIterationInvariantRate |
                       benchmark::Counter::kInvert);
}

void op_forward(benchmark::State& state) {
  const Chain chain;
  for (auto _ : state) benchmark::DoNotOptimize(chain());
  report_time_per_operation(state);
}
BENCHMARK(op_forward);

void op_forward_nograd(benchmark::State& state) {
  const Chain chain;
  const auto scope = no_backprop_mode();
  for (auto _ : state) benchmark::DoNotOptimize(chain());
  report_time_per_operation(state);
}
BENCHMARK(op_forward_nograd);

void op_forward_backward(benchmark::State& state) {
  const Chain chain;
  const Array seed = array::ones({10}, Dtype::kFloat32);
  for (auto _ : state) {
    chain.x().cleargrad();
    const Variable y = chain();
    y.set_grad(seed);
    y.backward();
  }
  report_time_per_operation(state);
}
BENCHMARK(op_forward_backward);

}  // namespace
}  // namespace catena
