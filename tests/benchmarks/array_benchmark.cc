// Arrays of 16M elements compared with memory bandwidth. Each array operation
// alternates with a baseline - a copy, a triad or a read with the best
// instructions - since machines vary from second to second: "of_machine" is the
// ratio of the best times. GB/s counts the minimum traffic, every input and
// output once.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/benchmarks/machine_memory.h"

namespace catena {
namespace {

using benchmarks::copy_memory;
using benchmarks::read_memory;
using benchmarks::triad_memory;

constexpr int64_t kSide = 4096;
constexpr double kElements = static_cast<double>(kSide * kSide);

template <class F>
double seconds(F f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

// Times `op`, which moves `bytes`, alternating with `machine`, which moves
// `machine_bytes`.
template <class Op, class Machine>
void run_beside(benchmark::State& state, double bytes, Op op,
                double machine_bytes, Machine machine) {
  double best = std::numeric_limits<double>::max();
  double best_machine = best;
  op();
  machine();
  for (auto _ : state) {
    const double time = seconds(op);
    state.SetIterationTime(time);
    best = std::min(best, time);
    best_machine = std::min(best_machine, seconds(machine));
  }
  const double rate = bytes / best;
  state.counters["GB/s"] = rate / 1e9;
  state.counters["machine_GB/s"] = machine_bytes / best_machine / 1e9;
  state.counters["of_machine"] = rate * best_machine / machine_bytes;
}

constexpr double kFloats = kElements * 4;  // bytes of a float32 matrix

Array matrix(Dtype dtype = Dtype::kFloat32) {
  return array::random::uniform(-2, 2, {kSide, kSide}).astype(dtype);
}

// Compared with a copy.
template <class Op>
void run_beside_copy(benchmark::State& state, double bytes, Op op) {
  const Array from = matrix();
  const Array to = matrix();
  run_beside(state, bytes, op, 2 * kFloats,
             [&] { copy_memory(to.raw_data(), from.raw_data(), to.nbytes()); });
}

// Compared with reading the same array.
template <class Op>
void run_beside_read(benchmark::State& state, const Array& x, Op op) {
  run_beside(state, kFloats, op, kFloats,
             [&] { read_memory(x.raw_data(), x.nbytes()); });
}

void ew_mul_add(benchmark::State& state) {
  const Array x = matrix();
  const Array y = matrix();
  const Array w = matrix();
  const Array out = matrix();
  run_beside(
      state, 4 * kFloats, [&] { array::multiply_add(x, y, w); }, 3 * kFloats,
      [&] {
        triad_memory(out.data<float>(), x.data<float>(), y.data<float>(),
                     x.size());
      });
}
BENCHMARK(ew_mul_add)->UseManualTime()->Unit(benchmark::kMillisecond);

// The same in two passes, the second in place.
void ew_mul_then_add(benchmark::State& state) {
  const Array x = matrix();
  const Array y = matrix();
  const Array w = matrix();
  run_beside_copy(state, 4 * kFloats, [&] { x* y + w; });
}
BENCHMARK(ew_mul_then_add)->UseManualTime()->Unit(benchmark::kMillisecond);

void ew_unary(benchmark::State& state, array::UnaryUfunc ufunc) {
  const Array x = matrix();
  run_beside_copy(state, 2 * kFloats, [&] { ufunc(x); });
}
BENCHMARK_CAPTURE(ew_unary, exp, array::exp)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ew_unary, tanh, array::tanh)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ew_unary, sigmoid, array::sigmoid)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ew_unary, relu, array::relu)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void bcast_add(benchmark::State& state) {
  const Array x = matrix();
  const Array row = array::ones({kSide}, Dtype::kFloat32);
  run_beside_copy(state, 2 * kFloats, [&] { x + row; });
}
BENCHMARK(bcast_add)->UseManualTime()->Unit(benchmark::kMillisecond);

void sum_all(benchmark::State& state) {
  const Array x = matrix();
  run_beside_read(state, x, [&] { array::sum(x); });
}
BENCHMARK(sum_all)->UseManualTime()->Unit(benchmark::kMillisecond);

void sum_axis(benchmark::State& state) {
  const Array x = matrix();
  const Axes axes = {state.range(0)};
  run_beside_read(state, x, [&] { array::sum(x, {.axis = axes}); });
}
BENCHMARK(sum_axis)->Arg(0)->Arg(1)->UseManualTime()->Unit(
    benchmark::kMillisecond);

void transpose_copy(benchmark::State& state) {
  const Array x = matrix();
  run_beside_copy(state, 2 * kFloats, [&] { x.T().copy(); });
}
BENCHMARK(transpose_copy)->UseManualTime()->Unit(benchmark::kMillisecond);

void cast(benchmark::State& state, Dtype from, Dtype to) {
  const Array x = matrix(from);
  const double bytes =
      kElements * static_cast<double>(item_size(from) + item_size(to));
  run_beside_copy(state, bytes, [&] { x.astype(to); });
}
BENCHMARK_CAPTURE(cast, f32_f16, Dtype::kFloat32, Dtype::kFloat16)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cast, f16_f32, Dtype::kFloat16, Dtype::kFloat32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cast, f32_i32, Dtype::kFloat32, Dtype::kInt32)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// Ten elements, to measure overhead rather than arithmetic.
void tiny_multiply(benchmark::State& state) {
  const Array x = array::ones({10}, Dtype::kFloat32);
  for (auto _ : state) benchmark::DoNotOptimize(array::multiply(x, x));
}
BENCHMARK(tiny_multiply);

void tiny_sum(benchmark::State& state) {
  const Array x = array::ones({10}, Dtype::kFloat32);
  for (auto _ : state) benchmark::DoNotOptimize(array::sum(x));
}
BENCHMARK(tiny_sum);

}  // namespace
}  // namespace catena
