// Array operations compared with the machine's memory bandwidth, on one thread
// and on all:
//
//   ./bazelw run --config=opt //array:array_benchmark
//
// (append, for example, -- --benchmark_filter=threads:2).
//
// Each pass alternates with a reference pass (a copy, a triad or a read with
// the best instructions), since machine speed fluctuates: "of_machine" is the
// ratio of the best passes. GB/s counts the minimum traffic, every input and
// output once.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/einsum.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/linalg/products.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/sorting/sort.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/statistics/cumulative.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/benchmarks/machine_memory.h"

namespace catena {
namespace {

namespace xp = catena::array;

constexpr int64_t kSide = 4096;
constexpr int64_t kElements = kSide * kSide;

// The reference pass that alternates with the operation.
enum class Beside { kCopy, kTriad, kRead };

using Run = std::function<void()>;

double seconds(const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

// Memory for the reference passes, allocated on first use.
struct Machine {
  Array x = xp::ones({kSide, kSide}, Dtype::kFloat32);
  Array y = xp::ones({kSide, kSide}, Dtype::kFloat32);
  Array out = xp::ones({kSide, kSide}, Dtype::kFloat32);

  static Machine& get() {
    static Machine machine;
    return machine;
  }

  double bytes(Beside beside) const {
    const double arrays = beside == Beside::kCopy    ? 2
                          : beside == Beside::kTriad ? 3
                                                     : 1;
    return arrays * static_cast<double>(x.nbytes());
  }
  void run(Beside beside) const {
    switch (beside) {
      case Beside::kCopy:
        return benchmarks::copy_memory(out.raw_data(), x.raw_data(),
                                       x.nbytes());
      case Beside::kTriad:
        return benchmarks::triad_memory(out.data<float>(), x.data<float>(),
                                        y.data<float>(), x.size());
      case Beside::kRead:
        return benchmarks::read_memory(x.raw_data(), x.nbytes());
    }
  }
};

class Threads {
 public:
  explicit Threads(int64_t count) : previous_(get_num_threads()) {
    set_num_threads(static_cast<int>(count));
  }
  ~Threads() { set_num_threads(previous_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int previous_;
};

// `prepare` creates the operands and returns the operation, which moves
// `bytes`.
void against_machine(const std::string& name, double bytes, Beside beside,
                     const std::function<Run()>& prepare) {
  const auto body = [=](benchmark::State& state) {
    const Threads threads(state.range(0));
    const Machine& machine = Machine::get();
    const Run run = prepare();
    run();
    machine.run(beside);
    double best = std::numeric_limits<double>::max();
    double best_machine = best;
    for (auto _ : state) {
      const double time = seconds(run);
      state.SetIterationTime(time);
      best = std::min(best, time);
      best_machine =
          std::min(best_machine, seconds([&] { machine.run(beside); }));
    }
    state.counters["GB/s"] = bytes / best / 1e9;
    state.counters["of_machine"] =
        bytes / best / (machine.bytes(beside) / best_machine);
  };
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->ArgName("threads")
      ->Arg(1)
      ->Arg(2)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

// `work` units (elements or flops) per call, shown in billions per second.
void by_work(const std::string& name, double work,
             const std::function<Run()>& prepare) {
  const auto body = [=](benchmark::State& state) {
    const Threads threads(state.range(0));
    const Run run = prepare();
    run();
    for (auto _ : state) run();
    state.counters["G/s"] = benchmark::Counter(
        work / 1e9, benchmark::Counter::kIsIterationInvariantRate);
  };
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->ArgName("threads")
      ->Arg(1)
      ->Arg(2)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

// Calls too short for memory bandwidth to matter.
void by_call(const std::string& name, const std::function<Run()>& prepare) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const Run run = prepare();
    for (auto _ : state) run();
  });
}

// In [1, 2), where every function is defined and no product overflows.
Array matrix(Dtype dtype = Dtype::kFloat32) {
  return xp::random::uniform(1, 2, {kSide, kSide}, Dtype::kFloat32)
      .astype(dtype);
}
Array integers(Dtype dtype) {
  return xp::random::randint(1, 100, {kSide, kSide}, Dtype::kInt64)
      .astype(dtype);
}

template <class T>
void keep(const T& result) {
  benchmark::DoNotOptimize(&result);
}

double bytes_of(double elements, std::initializer_list<Dtype> dtypes) {
  double bytes = 0;
  for (const Dtype dtype : dtypes) {
    bytes += elements * static_cast<double>(item_size(dtype));
  }
  return bytes;
}

constexpr auto kAll = static_cast<double>(kElements);
constexpr Dtype kF32 = Dtype::kFloat32;

template <class Ufunc>
void unary(const std::string& name, Ufunc ufunc, Dtype dtype = kF32,
           Dtype result = kF32) {
  against_machine("unary/" + name, bytes_of(kAll, {dtype, result}),
                  Beside::kCopy, [=]() -> Run {
                    const Array x =
                        is_floating(dtype) ? matrix(dtype) : integers(dtype);
                    return [=] { keep(ufunc(x)); };
                  });
}

template <class Ufunc>
void binary(const std::string& name, Ufunc ufunc, Dtype dtype = kF32,
            Dtype result = kF32) {
  against_machine("binary/" + name, bytes_of(kAll, {dtype, dtype, result}),
                  Beside::kTriad, [=]() -> Run {
                    const bool floats = is_floating(dtype);
                    const Array x = floats ? matrix(dtype) : integers(dtype);
                    const Array y = floats ? matrix(dtype) : integers(dtype);
                    return [=] { keep(ufunc(x, y)); };
                  });
}

void register_ufuncs() {
  unary("negative", [](const Array& x) { return xp::negative(x); });
  unary("absolute", [](const Array& x) { return xp::absolute(x); });
  unary("square", [](const Array& x) { return xp::square(x); });
  for (const Dtype dtype : {kF32, Dtype::kFloat64}) {
    const std::string bits = dtype == kF32 ? "" : "_f64";
    const auto add = [&](const char* name, const xp::UnaryUfunc& ufunc) {
      unary(
          name + bits, [ufunc](const Array& x) { return ufunc(x); }, dtype,
          dtype);
    };
    add("sqrt", xp::sqrt);
    add("exp", xp::exp);
    add("expm1", xp::expm1);
    add("log", xp::log);
    add("log1p", xp::log1p);
    add("tanh", xp::tanh);
    add("sigmoid", xp::sigmoid);
    add("sin", xp::sin);
    add("cos", xp::cos);
    binary(
        "power" + bits,
        [](const Array& x, const Array& y) { return xp::power(x, y); }, dtype,
        dtype);
  }
  unary("floor", [](const Array& x) { return xp::floor(x); });
  unary(
      "isnan", [](const Array& x) { return xp::isnan(x); }, kF32, Dtype::kBool);
  unary(
      "invert_i32", [](const Array& x) { return xp::invert(x); }, Dtype::kInt32,
      Dtype::kInt32);
  binary("add", [](const Array& x, const Array& y) { return xp::add(x, y); });
  binary(
      "add_f16", [](const Array& x, const Array& y) { return xp::add(x, y); },
      Dtype::kFloat16, Dtype::kFloat16);
  binary(
      "add_i32", [](const Array& x, const Array& y) { return xp::add(x, y); },
      Dtype::kInt32, Dtype::kInt32);
  binary("divide",
         [](const Array& x, const Array& y) { return xp::true_divide(x, y); });
  binary("maximum",
         [](const Array& x, const Array& y) { return xp::maximum(x, y); });
  binary(
      "less", [](const Array& x, const Array& y) { return xp::less(x, y); },
      kF32, Dtype::kBool);
  binary(
      "floor_divide_i32",
      [](const Array& x, const Array& y) { return xp::floor_divide(x, y); },
      Dtype::kInt32, Dtype::kInt32);
  against_machine("ternary/multiply_add", bytes_of(4 * kAll, {kF32}),
                  Beside::kTriad, []() -> Run {
                    const Array x = matrix();
                    const Array y = matrix();
                    const Array w = matrix();
                    return [=] { keep(xp::multiply_add(x, y, w)); };
                  });
  against_machine("ternary/where",
                  bytes_of(kAll, {Dtype::kBool, kF32, kF32, kF32}),
                  Beside::kTriad, []() -> Run {
                    const Array x = matrix();
                    const Array y = matrix();
                    const Array condition = xp::less(x, y);
                    return [=] { keep(xp::where(condition, x, y)); };
                  });
  against_machine("broadcast/row", bytes_of(2 * kAll, {kF32}), Beside::kCopy,
                  []() -> Run {
                    const Array x = matrix();
                    const Array row = xp::ones({kSide}, kF32);
                    return [=] { keep(xp::add(x, row)); };
                  });
  against_machine("broadcast/column", bytes_of(2 * kAll, {kF32}), Beside::kCopy,
                  []() -> Run {
                    const Array x = matrix();
                    const Array column = xp::ones({kSide, 1}, kF32);
                    return [=] { keep(xp::add(x, column)); };
                  });
}

void cast(Dtype from, Dtype to) {
  against_machine("cast/" + str(from, "_", to), bytes_of(kAll, {from, to}),
                  Beside::kCopy, [=]() -> Run {
                    const Array x =
                        is_floating(from) ? matrix(from) : integers(from);
                    return [=] { keep(x.astype(to)); };
                  });
}

void register_moves() {
  cast(kF32, Dtype::kFloat16);
  cast(Dtype::kFloat16, kF32);
  cast(kF32, Dtype::kBFloat16);
  cast(kF32, Dtype::kFloat64);
  cast(kF32, Dtype::kInt32);
  cast(Dtype::kInt32, kF32);
  cast(Dtype::kUInt8, kF32);
  const double moved = bytes_of(2 * kAll, {kF32});
  against_machine("copy/contiguous", moved, Beside::kCopy, []() -> Run {
    const Array x = matrix();
    return [=] { keep(x.copy()); };
  });
  against_machine("copy/transposed", moved, Beside::kCopy, []() -> Run {
    const Array x = matrix();
    return [=] { keep(x.T().copy()); };
  });
  against_machine("copy/nchw_to_nhwc", moved, Beside::kCopy, []() -> Run {
    const Array x = matrix().reshape({64, 64, 64, 64});
    return [=] { keep(x.transpose({0, 2, 3, 1}).copy()); };
  });
  against_machine("copy/reversed", moved, Beside::kCopy, []() -> Run {
    const Array x = matrix();
    return [=] {
      keep(x[{ellipsis, Slice(std::nullopt, std::nullopt, -1)}].copy());
    };
  });
  against_machine("concatenate/axis0", moved, Beside::kCopy, []() -> Run {
    const Array x = matrix();
    const Array top = x[{Slice(0, kSide / 2)}];
    const Array bottom = x[{Slice(kSide / 2, kSide)}];
    return [=] { keep(xp::concatenate({top, bottom}, 0)); };
  });
  against_machine("concatenate/axis1", moved, Beside::kCopy, []() -> Run {
    const Array left = matrix()[{Slice(0, kSide / 2)}].reshape({kSide, -1});
    return [=] { keep(xp::concatenate({left, left}, 1)); };
  });
  // Rows of an embedding table.
  against_machine("take/rows_of_128", moved, Beside::kCopy, []() -> Run {
    const Array table = matrix().reshape({-1, 128});
    const Array indices =
        xp::random::randint(0, table.shape()[0], {table.shape()[0]});
    return [=] { keep(xp::take(table, indices, 0)); };
  });
  against_machine(
      "scatter_add/rows_of_128", 1.5 * moved, Beside::kTriad, []() -> Run {
        const Array table = matrix().reshape({-1, 128});
        const Array rows = matrix().reshape({-1, 128});
        const Array indices =
            xp::random::randint(0, table.shape()[0], {table.shape()[0]});
        return [=] { xp::scatter_add(table, indices, 0, rows); };
      });
}

template <class Reduce>
void reduction(const std::string& name, Reduce reduce) {
  const double bytes = bytes_of(kAll, {kF32});
  against_machine(name + "/all", bytes, Beside::kRead, [=]() -> Run {
    const Array x = matrix();
    return [=] { keep(reduce(x, Axes{0, 1})); };
  });
  for (const int64_t axis : {0, 1}) {
    against_machine(name + "/axis" + std::to_string(axis), bytes, Beside::kRead,
                    [=]() -> Run {
                      const Array x = matrix();
                      return [=] { keep(reduce(x, Axes{axis})); };
                    });
  }
}

void register_reductions() {
  reduction("sum", [](const Array& x, const Axes& axes) {
    return xp::sum(x, {.axis = axes});
  });
  reduction("max", [](const Array& x, const Axes& axes) {
    return xp::max(x, {.axis = axes});
  });
  reduction("var", [](const Array& x, const Axes& axes) {
    return xp::var(x, {.axis = axes});
  });
  against_machine("sum/every_second", bytes_of(kAll, {kF32}), Beside::kRead,
                  []() -> Run {
                    const Array x = matrix()[{ellipsis, Slice(0, kSide, 2)}];
                    return [=] { keep(xp::sum(x)); };
                  });
  against_machine("argmax/axis1", bytes_of(kAll, {kF32}), Beside::kRead,
                  []() -> Run {
                    const Array x = matrix();
                    return [=] { keep(xp::argmax(x, 1)); };
                  });
  against_machine("cumsum/all", bytes_of(2 * kAll, {kF32}), Beside::kCopy,
                  []() -> Run {
                    const Array x = matrix();
                    return [=] { keep(xp::cumsum(x)); };
                  });
}

void register_work() {
  for (const Dtype dtype : {kF32, Dtype::kInt32, Dtype::kFloat64}) {
    by_work(str("sort/", dtype), kAll, [=]() -> Run {
      const Array x =
          xp::random::normal(0, 1e6, {kElements}, kF32).astype(dtype);
      return [=] { keep(xp::sort(x)); };
    });
  }
  by_work("argsort/float32", kAll, []() -> Run {
    const Array x = xp::random::normal(0, 1, {kElements}, kF32);
    return [=] { keep(xp::argsort(x)); };
  });
  for (const Dtype dtype : {kF32, Dtype::kFloat64}) {
    by_work(str("random/uniform/", dtype), kAll, [=]() -> Run {
      return [=] { keep(xp::random::uniform(0, 1, {kElements}, dtype)); };
    });
    by_work(str("random/normal/", dtype), kAll, [=]() -> Run {
      return [=] { keep(xp::random::normal(0, 1, {kElements}, dtype)); };
    });
  }
  by_work("random/randint", kAll, []() -> Run {
    return [] { keep(xp::random::randint(0, 1000, {kElements})); };
  });
  by_work("random/bernoulli", kAll, []() -> Run {
    return [] { keep(xp::random::bernoulli(0.5, {kElements})); };
  });
  by_work("matmul/1024", 2.0 * 1024 * 1024 * 1024, []() -> Run {
    const Array x = matrix()[{Slice(0, 1024), Slice(0, 1024)}].copy();
    return [=] { keep(xp::matmul(x, x)); };
  });
  by_work("einsum/bij,bjk", 64 * 2.0 * 128 * 128 * 128, []() -> Run {
    const Array x = xp::random::uniform(0, 1, {64, 128, 128}, kF32);
    return [=] { keep(xp::einsum("bij,bjk->bik", {x, x})); };
  });
  by_work("tensordot/2_axes", 2.0 * 512 * 512 * 1024, []() -> Run {
    const Array x = xp::random::uniform(0, 1, {512, 32, 32}, kF32);
    const Array y = xp::random::uniform(0, 1, {32, 32, 512}, kF32);
    return [=] { keep(xp::tensordot(x, y, 2)); };
  });
}

void register_small() {
  for (const int64_t n : {1, 10, 100}) {
    by_call("small/add_" + std::to_string(n), [=]() -> Run {
      const Array x = xp::ones({n}, kF32);
      return [=] { keep(xp::add(x, x)); };
    });
  }
  by_call("small/add_number", []() -> Run {
    const Array x = xp::ones({10}, kF32);
    return [=] { keep(x + 1); };
  });
  by_call("small/sum", []() -> Run {
    const Array x = xp::ones({10}, kF32);
    return [=] { keep(xp::sum(x)); };
  });
  by_call("small/reshape", []() -> Run {
    const Array x = xp::ones({10}, kF32);
    return [=] { keep(x.reshape({2, 5})); };
  });
  by_call("small/slice", []() -> Run {
    const Array x = xp::ones({10}, kF32);
    return [=] { keep(x[{Slice(2, 8)}]); };
  });
}

[[maybe_unused]] const bool registered = [] {
  register_ufuncs();
  register_moves();
  register_reductions();
  register_work();
  register_small();
  return true;
}();

}  // namespace
}  // namespace catena
