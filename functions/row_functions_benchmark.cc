// Functions of rows compared with the machine's memory bandwidth, on one thread
// and on all:
//
//   ./bazelw run --config=opt //functions:row_functions_benchmark
//
// Each pass alternates with a reference pass over arrays of the same size (a
// read, a copy or a triad with the best instructions), since machine speed
// fluctuates: "of_machine" is the ratio of the best passes. GB/s counts the
// minimum traffic, every input and output once.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/normalization/layer_normalization.h"
#include "catena/tests/benchmarks/machine_memory.h"

namespace catena::functions {
namespace {

constexpr int64_t kElements = 16'384'000;

// The number of arrays that an operation reads and writes; chooses the
// reference.
enum class Arrays : uint8_t { kRead = 1, kCopy = 2, kTriad = 3 };

double seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

Array uniform(const Shape& shape) {
  return array::random::generator().uniform(-1, 1, shape, Dtype::kFloat32);
}

class Machine {
 public:
  static const Machine& get() {
    static const Machine machine;
    return machine;
  }
  void run(Arrays arrays) const {
    switch (arrays) {
      case Arrays::kRead:
        return benchmarks::read_memory(x_.raw_data(), x_.nbytes());
      case Arrays::kCopy:
        return benchmarks::copy_memory(out_.raw_data(), x_.raw_data(),
                                       x_.nbytes());
      case Arrays::kTriad:
        return benchmarks::triad_memory(out_.data<float>(), x_.data<float>(),
                                        y_.data<float>(), x_.size());
    }
  }

 private:
  Array x_ = uniform({kElements});
  Array y_ = uniform({kElements});
  Array out_ = uniform({kElements});
};

// One call: returns the seconds of the part that is measured.
using Pass = std::function<double()>;

void against_machine(const std::string& name, Arrays arrays,
                     const std::function<Pass(int64_t)>& prepare) {
  const auto body = [=](benchmark::State& state) {
    const int previous = get_num_threads();
    set_num_threads(static_cast<int>(state.range(0)));
    const Machine& machine = Machine::get();
    const Pass pass = prepare(state.range(1));
    pass();
    machine.run(arrays);
    double best = std::numeric_limits<double>::max();
    double best_machine = best;
    for (auto _ : state) {
      const double time = pass();
      state.SetIterationTime(time);
      best = std::min(best, time);
      best_machine =
          std::min(best_machine, seconds([&] { machine.run(arrays); }));
    }
    const double bytes = static_cast<double>(arrays) * 4 * kElements;
    state.counters["GB/s"] = bytes / best / 1e9;
    state.counters["of_machine"] = best_machine / best;
    set_num_threads(previous);
  };
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->ArgNames({"threads", "columns"})
      ->ArgsProduct({{1, 2}, {1000, 32000}})
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

// The forward and the backward pass of a function of an array of `columns`
// columns. `f` gets the array and the number of columns, and returns a function
// of a variable.
template <class F>
void both_ways(const std::string& name, Arrays forward, Arrays backward, F f) {
  against_machine(name + "/forward", forward, [=](int64_t columns) -> Pass {
    const Array x = uniform({kElements / columns, columns});
    const auto function = f(x.shape());
    return [=] {
      const auto scope = no_backprop_mode();
      Variable y;
      return seconds([&] { y = function(Variable(x)); });
    };
  });
  against_machine(name + "/backward", backward, [=](int64_t columns) -> Pass {
    const Variable x(uniform({kElements / columns, columns}));
    const auto function = f(x.shape());
    const Array gy = uniform(function(x).shape());
    return [=] {
      const Variable y = function(x);
      y.set_grad(gy);
      const double time = seconds([&] { y.backward(); });
      x.cleargrad();
      return time;
    };
  });
}

void register_functions() {
  both_ways("softmax", Arrays::kCopy, Arrays::kTriad, [](const Shape&) {
    return [](const Variable& x) { return softmax(x); };
  });
  both_ways("log_softmax", Arrays::kCopy, Arrays::kTriad, [](const Shape&) {
    return [](const Variable& x) { return log_softmax(x); };
  });
  both_ways("softmax_cross_entropy", Arrays::kRead, Arrays::kCopy,
            [](const Shape& shape) {
              const Array t = array::random::randint(0, shape[1], {shape[0]});
              return [t](const Variable& x) {
                return softmax_cross_entropy(x, t);
              };
            });
  for (const bool trains : {false, true}) {
    both_ways(trains ? "layer_normalization" : "layer_normalization_of_x",
              Arrays::kCopy, Arrays::kTriad, [trains](const Shape& shape) {
                const Variable gamma(array::ones({shape[1]}, Dtype::kFloat32),
                                     {.requires_grad = trains});
                const Variable beta(array::zeros({shape[1]}, Dtype::kFloat32),
                                    {.requires_grad = trains});
                return [gamma, beta](const Variable& x) {
                  return layer_normalization(x, gamma, beta);
                };
              });
  }
}

[[maybe_unused]] const bool registered = [] {
  register_functions();
  return true;
}();

}  // namespace
}  // namespace catena::functions
