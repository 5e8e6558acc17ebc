// How the parts of a training step scale with threads.
//
//   ./bazelw run --config=opt //tests/benchmarks:scaling --
//   [resnet50|lstm|transformer]...
//
// Steps with one thread and with two alternate, since machine speed fluctuates,
// and the best times count. From a part's times t1 and t2 Amdahl's law gives
// its serial share, 2 t2 / t1 - 1, and the time with 64 threads. Memory
// bandwidth that two threads share counts as serial, too.

#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/parallel.h"
#include "catena/array/random/random.h"
#include "catena/autograd/function_hook.h"
#include "catena/autograd/function_node.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/tests/benchmarks/networks.h"

namespace catena::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;
using Times = std::map<std::string, double>;  // seconds, by part

constexpr int kRounds = 8;
constexpr double kMany = 64;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Adds up the time of each function and direction, without that of functions
// which it calls.
class OwnTimes : public FunctionHook {
 public:
  std::string_view name() const override { return "OwnTimes"; }
  const Times& times() const { return times_; }
  double total() const { return total_; }

  void forward_preprocess(const FunctionNode&, const Arrays&) override {
    begin();
  }
  void forward_postprocess(const FunctionNode& f, const Arrays&) override {
    end(f);
  }
  void backward_preprocess(const FunctionNode&, const Variables&) override {
    begin();
  }
  void backward_postprocess(const FunctionNode& f, const Variables&) override {
    end(f);
  }

 private:
  struct Call {
    Clock::time_point start;
    double of_others = 0;
  };

  void begin() { calls_.push_back({Clock::now()}); }
  void end(const FunctionNode& function) {
    const Call call = calls_.back();
    calls_.pop_back();
    const double seconds = seconds_since(call.start);
    times_[std::string(function.label())] += seconds - call.of_others;
    (calls_.empty() ? total_ : calls_.back().of_others) += seconds;
  }

  std::vector<Call> calls_;
  Times times_;
  double total_ = 0;
};

// The parts of one step: functions, forward and backward together, the
// optimizer, and what lies between.
Times measure(const std::function<Variable()>& loss, Optimizer& optimizer) {
  OwnTimes functions;
  const Clock::time_point start = Clock::now();
  {
    const FunctionHookScope scope(functions);
    const Variable y = loss();
    optimizer.target().cleargrads();
    y.backward();
  }
  const double graph = seconds_since(start);
  const Clock::time_point middle = Clock::now();
  optimizer.update();
  Times times = functions.times();
  times["(optimizer)"] = seconds_since(middle);
  times["(between functions)"] = graph - functions.total();
  return times;
}

void keep_best(const Times& times, Times& best) {
  for (const auto& [part, seconds] : times) {
    const auto [it, is_new] = best.emplace(part, seconds);
    if (!is_new) it->second = std::min(it->second, seconds);
  }
}

double serial_share(double one, double two) {
  return std::clamp(2 * two / one - 1, 0.0, 1.0);
}

double with_threads(double one, double two, double threads) {
  const double serial = serial_share(one, two);
  return one * (serial + (1 - serial) / threads);
}

void print(std::string_view network, const Times& one, const Times& two) {
  double step_one = 0;
  double step_two = 0;
  double step_many = 0;
  std::vector<std::string> parts;
  for (const auto& [part, seconds] : one) {
    step_one += seconds;
    step_two += two.at(part);
    step_many += with_threads(seconds, two.at(part), kMany);
    parts.push_back(part);
  }
  std::ranges::sort(parts, std::greater(),
                    [&](const std::string& part) { return one.at(part); });
  std::cout << '\n'
            << network << ": ms of a step with 1 and 2 threads, serial share, "
            << "ms with 64 threads\n"
            << std::fixed << std::setprecision(2);
  const auto line = [&](std::string_view name, double a, double b, double c) {
    std::cout << std::left << std::setw(32) << name << std::right
              << std::setw(10) << a * 1e3 << std::setw(10) << b * 1e3
              << std::setw(9) << 100 * serial_share(a, b) << " %"
              << std::setw(10) << c * 1e3 << '\n';
  };
  for (const std::string& part : parts) {
    const double a = one.at(part);
    const double b = two.at(part);
    if (a > 0.001 * step_one) line(part, a, b, with_threads(a, b, kMany));
  }
  line("step", step_one, step_two, step_many);
  std::cout << "speedup with 64 threads: " << step_one / step_many << std::endl;
}

template <class Model>
void compare(std::string_view network, Model& model,
             const std::function<Variable()>& loss) {
  optimizers::MomentumSGD optimizer({.lr = 1e-5});
  optimizer.setup(model);
  Times one;
  Times two;
  for (int round = -1; round < kRounds; ++round) {
    for (const int threads : {1, 2}) {
      set_num_threads(threads);
      const Times times = measure(loss, optimizer);
      if (round >= 0) keep_best(times, threads == 1 ? one : two);
    }
  }
  print(network, one, two);
}

Variable uniform(const Shape& shape) {
  return as_variable(array::random::uniform(-1.0, 1.0, shape, Dtype::kFloat32));
}

Array integers(int64_t high, const Shape& shape) {
  return array::random::randint(0, high, shape).astype(Dtype::kInt32);
}

void resnet50() {
  ResNet50 model;
  const Variable x = uniform({4, 3, 224, 224});
  const Variable t = as_variable(integers(1000, {4}));
  compare("ResNet-50, 4 images", model,
          [&] { return F::softmax_cross_entropy(model.forward(x), t); });
}

void lstm() {
  constexpr LanguageModelSizes kSizes;
  WholeSequences model(kSizes);
  const Array x = integers(kSizes.words, WholeSequences::shape(kSizes));
  const Array t = integers(kSizes.words, WholeSequences::shape(kSizes));
  compare("LSTM, 20 sequences of 35 words", model,
          [&] { return model.loss(x, t); });
}

void transformer() {
  constexpr TransformerSizes kSizes = {.layers = 2, .batch = 8};
  Transformer model(kSizes);
  const Variable x = uniform({kSizes.batch * kSizes.steps, kSizes.units});
  const Variable t =
      as_variable(integers(kSizes.units, {kSizes.batch * kSizes.steps}));
  compare("Transformer, 2 layers, 8 sequences of 128", model,
          [&] { return F::softmax_cross_entropy(model.forward(x), t); });
}

int run(std::span<const char* const> names) {
  const std::map<std::string_view, void (*)()> networks = {
      {"resnet50", resnet50}, {"lstm", lstm}, {"transformer", transformer}};
  for (const std::string_view name : names) {
    if (!networks.contains(name)) {
      std::cerr << "scaling: expected resnet50, lstm or transformer, got "
                << name << '\n';
      return 1;
    }
  }
  for (const auto& [name, compare_threads] : networks) {
    if (names.empty() || std::ranges::count(names, name) > 0) compare_threads();
  }
  return 0;
}

}  // namespace
}  // namespace catena::benchmarks

int main(int argc, char** argv) {
  return catena::benchmarks::run({argv + 1, static_cast<size_t>(argc - 1)});
}
