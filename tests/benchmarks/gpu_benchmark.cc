// What a new GPU is measured with: training and inference of networks, memory
// bandwidth, matrix products, the cost of a launch. torch_benchmark.py does the
// same work with PyTorch, and compare_benchmarks puts both side by side:
//
//   gpu_benchmark --device=cuda:0 --out=catena.jsonl
//   python3 torch_benchmark.py --device=cuda:0 --out=torch.jsonl
//   compare_benchmarks catena.jsonl torch.jsonl
//
//   Time:   six minutes for everything on a data center's GPU. --cases=resnet*
//           --dtypes=float16 takes seconds, --small has tiny sizes for tests.
//   Output: a line for each measurement: images, words, sequences, bytes,
//           floating-point operations or launches per second. It is the median
//           of --rounds; each ends by waiting for the device.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "catena/array/device.h"
#include "catena/array/float32_precision.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random.h"
#include "catena/array/reduce.h"
#include "catena/array/ufunc.h"
#include "catena/cuda/workspace_size.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/benchmarks/captured.h"
#include "catena/tests/benchmarks/networks.h"

using absl::GetFlag;

ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(std::string, cases, "*",
          "names of cases with * and ?, separated by commas; --list has all");
ABSL_FLAG(bool, list, false, "prints the names of the cases");
ABSL_FLAG(std::string, dtypes, "",
          "of float32, tf32, float16, bfloat16, separated by commas (all of "
          "them on a GPU, float32 on the CPU). tf32 is float32 with "
          "set_float32_precision(kTf32)");
ABSL_FLAG(std::string, workspaces, "",
          "limits on the workspace of cuDNN's convolutions in MiB, separated "
          "by commas, to try besides the default (8,1024 on a GPU)");
ABSL_FLAG(bool, autotune, false, "cuDNN tries its algorithms (autotune)");
ABSL_FLAG(bool, small, false, "tiny sizes and a single step, for tests");
ABSL_FLAG(int64_t, batch, 0,
          "images or sequences in a minibatch (0: each case has its own)");
ABSL_FLAG(double, seconds, 2, "how long each case is measured");
ABSL_FLAG(double, warmup, 0.5, "how long each case runs before that");
ABSL_FLAG(int64_t, rounds, 5, "measurements in this time");
ABSL_FLAG(std::string, out, "", "appends the results to this file, as JSON");

namespace catena::benchmarks {
namespace {

// The types of a network's values. float16 and bfloat16 have float32 copies of
// the parameters for the optimizer, and float16 a batch normalization whose
// parameters are float32.
struct Precision {
  std::string_view name;
  DefaultDtype config;
  Dtype dtype;
  bool tf32 = false;
};
constexpr Precision kPrecisions[] = {
    {"float32", Dtype::kFloat32, Dtype::kFloat32},
    {"tf32", Dtype::kFloat32, Dtype::kFloat32, true},
    {"float16", mixed16, Dtype::kFloat16},
    {"bfloat16", Dtype::kBFloat16, Dtype::kBFloat16},
};

// Work to repeat, and how much of it a call does.
struct Work {
  std::function<void()> step;
  double amount;
  std::string_view unit;
};

struct Case {
  std::string_view name;
  Work (*prepare)(Dtype dtype, bool small);
  // What else is measured: other limits on workspaces, a captured step.
  bool convolves = false;
  bool capturable = false;
  bool only_float32 = false;
  // Whether tf32 makes a difference.
  bool multiplies = true;
};

int64_t batch_or(int64_t size) {
  const int64_t flag = GetFlag(FLAGS_batch);
  return flag > 0 ? flag : size;
}

Array uniform(const Shape& shape, Dtype dtype) {
  return array::random::uniform(-1.0, 1.0, shape, Dtype::kFloat32)
      .astype(dtype);
}

Array integers(int64_t limit, const Shape& shape) {
  return array::random::randint(0, limit, shape).astype(Dtype::kInt32);
}

// --- Networks ---

// Steps of MomentumSGD on one batch.
template <class Model>
Work train(Model model, const Array& x, int64_t classes, double amount,
           std::string_view unit) {
  struct State {
    Model model;
    Variable x, t;
    optimizers::MomentumSGD optimizer{{.lr = 1e-4}};
  };
  const auto state = std::make_shared<State>(
      State{std::move(model), as_variable(x),
            as_variable(integers(classes, {x.shape()[0]}))});
  state->optimizer.setup(state->model);
  state->optimizer.use_fp32_update();
  return {[state] {
            state->optimizer.update([&] {
              return F::softmax_cross_entropy(state->model.forward(state->x),
                                              state->t);
            });
          },
          amount, unit};
}

template <class Model>
Work train_images(Model model, const Shape& shape, int64_t classes,
                  Dtype dtype) {
  return train(std::move(model), uniform(shape, dtype), classes,
               static_cast<double>(shape[0]), "images");
}

Work mlp_train(Dtype dtype, bool small) {
  const int64_t batch = batch_or(small ? 4 : 1024);
  return train_images(Mlp(small ? 16 : 1000, 10), {batch, 784}, 10, dtype);
}

// One image: how long the host takes for a step.
Work mlp_step(Dtype dtype, bool small) {
  return train_images(Mlp(small ? 16 : 100, 10), {1, 784}, 10, dtype);
}

Work lenet_train(Dtype dtype, bool small) {
  const int64_t batch = batch_or(small ? 2 : 256);
  return train_images(LeNet(), {batch, 1, 28, 28}, 10, dtype);
}

Work vgg_train(Dtype dtype, bool small) {
  const int64_t batch = batch_or(small ? 2 : 128);
  return train_images(Vgg(10, small ? 4 : 64), {batch, 3, 32, 32}, 10, dtype);
}

Shape resnet_shape(bool small) {
  const int64_t side = small ? 32 : 224;
  return {batch_or(small ? 2 : 64), 3, side, side};
}

Work resnet50_train(Dtype dtype, bool small) {
  return train_images(ResNet50(), resnet_shape(small), 1000, dtype);
}

Work resnet50_infer(Dtype dtype, bool small) {
  const auto model = std::make_shared<ResNet50>();
  const Variable x = as_variable(uniform(resnet_shape(small), dtype));
  const auto y = std::make_shared<Variable>();
  return {[model, x, y] {
            const auto test = using_config(&Config::train, false);
            const auto scope = no_backprop_mode();
            *y = model->forward(x);
          },
          static_cast<double>(x.shape()[0]), "images"};
}

// Steps of SGD with gradient clipping.
template <class Model>
Work train_language_model(bool small) {
  LanguageModelSizes sizes;
  if (small) sizes = {.steps = 3, .batch = 2, .units = 8, .words = 20};
  sizes.batch = batch_or(sizes.batch);
  struct State {
    Model model;
    Array x, t;
    optimizers::SGD optimizer{{.lr = 0.1}};
  };
  const Shape shape = Model::shape(sizes);
  const auto state =
      std::make_shared<State>(State{Model(sizes), integers(sizes.words, shape),
                                    integers(sizes.words, shape)});
  state->optimizer.setup(state->model);
  state->optimizer.use_fp32_update();
  state->optimizer.add_hook(optimizers::GradientClipping(5));
  return {[state] {
            const Variable loss = state->model.loss(state->x, state->t);
            state->model.cleargrads();
            loss.backward();
            loss.unchain_backward();
            state->optimizer.update();
          },
          static_cast<double>(sizes.steps * sizes.batch), "words"};
}

Work lstm_train(Dtype, bool small) {
  return train_language_model<StepByStep>(small);
}
Work nstep_lstm_train(Dtype, bool small) {
  return train_language_model<WholeSequences>(small);
}

Work transformer_train(Dtype dtype, bool small) {
  TransformerSizes sizes;
  if (small)
    sizes = {.layers = 2, .batch = 2, .steps = 4, .units = 8, .heads = 2};
  sizes.batch = batch_or(sizes.batch);
  const int64_t words = sizes.batch * sizes.steps;
  return train(Transformer(sizes), uniform({words, sizes.units}, dtype),
               sizes.units, static_cast<double>(words), "words");
}

// --- Arrays ---

// `move` reads and writes so many bytes of each element of the matrix.
template <class Function>
Work move_bytes(Dtype dtype, bool small, int passes, Function move) {
  const int64_t side = small ? 32 : 8192;
  const Array x = uniform({side, side}, dtype);
  return {[x, move]() mutable { static_cast<void>(move(x)); },
          static_cast<double>(x.size() * item_size(dtype) * passes), "B"};
}

Work copy_array(Dtype dtype, bool small) {
  return move_bytes(dtype, small, 2, [](const Array& x) { return x.copy(); });
}
Work add_arrays(Dtype dtype, bool small) {
  return move_bytes(dtype, small, 3,
                    [y = std::optional<Array>()](const Array& x) mutable {
                      if (!y) y = x.copy();
                      return x + *y;
                    });
}
Work exp_array(Dtype dtype, bool small) {
  return move_bytes(dtype, small, 2,
                    [](const Array& x) { return array::exp(x); });
}
Work sum_array(Dtype dtype, bool small) {
  return move_bytes(dtype, small, 1,
                    [](const Array& x) { return array::sum(x); });
}
Work sum_rows(Dtype dtype, bool small) {
  return move_bytes(dtype, small, 1,
                    [](const Array& x) { return array::sum(x, 0); });
}
Work sum_columns(Dtype dtype, bool small) {
  return move_bytes(dtype, small, 1,
                    [](const Array& x) { return array::sum(x, 1); });
}
Work softmax_array(Dtype dtype, bool small) {
  return move_bytes(dtype, small, 2, [](const Array& x) {
    const auto scope = no_backprop_mode();
    return F::softmax(as_variable(x));
  });
}

Work multiply_matrices(Dtype dtype, bool small) {
  const int64_t n = small ? 16 : 4096;
  const Array a = uniform({n, n}, dtype);
  const Array b = uniform({n, n}, dtype);
  const double size = static_cast<double>(n);
  return {[a, b] { static_cast<void>(array::matmul(a, b)); },
          2 * size * size * size, "FLOP"};
}

// Kernels so small that only their launches take time.
Work launch_kernels(Dtype dtype, bool small) {
  const int launches = small ? 10 : 1000;
  const Array x = uniform({1}, dtype);
  return {[x, launches] {
            for (int i = 0; i < launches; ++i) x += x;
          },
          static_cast<double>(launches), "launches"};
}

constexpr Case kCases[] = {
    {.name = "launch",
     .prepare = launch_kernels,
     .capturable = true,
     .only_float32 = true},
    {.name = "copy", .prepare = copy_array, .multiplies = false},
    {.name = "add", .prepare = add_arrays, .multiplies = false},
    {.name = "exp", .prepare = exp_array, .multiplies = false},
    {.name = "sum", .prepare = sum_array, .multiplies = false},
    {.name = "sum_rows", .prepare = sum_rows, .multiplies = false},
    {.name = "sum_columns", .prepare = sum_columns, .multiplies = false},
    {.name = "softmax", .prepare = softmax_array, .multiplies = false},
    {.name = "matmul", .prepare = multiply_matrices},
    {.name = "mlp_step", .prepare = mlp_step},
    {.name = "mlp_train", .prepare = mlp_train},
    {.name = "lenet_train", .prepare = lenet_train, .convolves = true},
    {.name = "vgg_train", .prepare = vgg_train, .convolves = true},
    {.name = "resnet50_infer",
     .prepare = resnet50_infer,
     .convolves = true,
     .capturable = true},
    {.name = "resnet50_train", .prepare = resnet50_train, .convolves = true},
    {.name = "lstm_train", .prepare = lstm_train},
    {.name = "nstep_lstm_train", .prepare = nstep_lstm_train},
    {.name = "transformer_train", .prepare = transformer_train},
};

// --- Measuring ---

struct Speed {
  double seconds;  // of a step: the median of the rounds
  double spread;   // between the rounds, relative to it
};

double seconds_of(int64_t steps, const std::function<void()>& step,
                  Device device) {
  using Clock = std::chrono::steady_clock;
  synchronize(device);
  const auto start = Clock::now();
  for (int64_t i = 0; i < steps; ++i) step();
  synchronize(device);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Speed measure(const std::function<void()>& step, Device device) {
  if (GetFlag(FLAGS_small)) return {seconds_of(1, step, device), 0};
  // The first steps compile, allocate and choose algorithms.
  seconds_of(3, step, device);
  double one = seconds_of(1, step, device);
  const auto steps_in = [&](double seconds) {
    return std::max<int64_t>(1, static_cast<int64_t>(seconds / one));
  };
  const int64_t warmup = steps_in(GetFlag(FLAGS_warmup));
  one = seconds_of(warmup, step, device) / static_cast<double>(warmup);
  const int64_t rounds = GetFlag(FLAGS_rounds);
  const int64_t steps =
      steps_in(GetFlag(FLAGS_seconds) / static_cast<double>(rounds));
  std::vector<double> times;
  for (int64_t i = 0; i < rounds; ++i) {
    times.push_back(seconds_of(steps, step, device) /
                    static_cast<double>(steps));
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  return {median, (times.back() - times.front()) / median};
}

// --- Output ---

// 1.234 T, 12.34 G, 987654: four digits are enough to compare.
std::string with_prefix(double value) {
  constexpr std::pair<double, const char*> kPrefixes[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}};
  const char* prefix = "";
  for (const auto& [factor, letter] : kPrefixes) {
    if (value >= factor) {
      value /= factor;
      prefix = letter;
      break;
    }
  }
  char text[32];
  std::snprintf(text, sizeof(text), value < 1000 ? "%.4g %s" : "%.0f %s", value,
                prefix);
  return text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

class Report {
 public:
  explicit Report(Device device) {
    const std::string file = GetFlag(FLAGS_out);
    if (!file.empty()) {
      file_.open(file, std::ios::app);
      if (!file_) raise<IoError>("cannot write ", file);
    }
    const MemoryBackend* backend = memory_backend(device.backend());
    const std::string name =
        backend->describe != nullptr ? backend->describe(device) : "CPU";
    std::cout << "# catena on " << device << ": " << name << std::endl;
    line("\"device\": " + quoted(str(device)) + ", \"name\": " + quoted(name));
  }

  void add(const Case& c, std::string_view dtype, const std::string& variant,
           const Work& work, const Speed& speed) {
    const double rate = work.amount / speed.seconds;
    std::cout << head(c, dtype, variant);
    char text[96];
    std::snprintf(text, sizeof(text), "%10.4g ms  +-%2.0f%%",
                  speed.seconds * 1e3, speed.spread * 50);
    std::cout << text << "  " << with_prefix(rate) << work.unit << "/s"
              << std::endl;
    std::ostringstream json;
    json << keys(c, dtype, variant) << ", \"seconds\": " << speed.seconds
         << ", \"spread\": " << speed.spread << ", \"rate\": " << rate
         << ", \"unit\": " << quoted(str(work.unit, "/s"));
    line(json.str());
  }

  void add_error(const Case& c, std::string_view dtype,
                 const std::string& variant, const std::string& error) {
    failed_ = true;
    std::cout << head(c, dtype, variant) << "error: " << error << std::endl;
    line(keys(c, dtype, variant) + ", \"error\": " + quoted(error));
  }

  bool failed() const { return failed_; }

 private:
  static std::string head(const Case& c, std::string_view dtype,
                          const std::string& variant) {
    std::string text(c.name);
    text.resize(18, ' ');
    text += dtype;
    text.resize(27, ' ');
    text += variant;
    text.resize(std::max<size_t>(text.size() + 1, 47), ' ');
    return text;
  }
  static std::string keys(const Case& c, std::string_view dtype,
                          const std::string& variant) {
    return "\"case\": " + quoted(c.name) + ", \"dtype\": " + quoted(dtype) +
           ", \"variant\": " + quoted(variant);
  }
  void line(const std::string& fields) {
    if (file_.is_open()) {
      file_ << "{\"program\": \"catena\", " << fields << "}" << std::endl;
    }
  }

  std::ofstream file_;
  bool failed_ = false;
};

// --- Choice ---

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    parts.push_back(part);
  }
  return parts;
}

std::vector<const Case*> chosen_cases() {
  std::vector<const Case*> cases;
  for (const Case& c : kCases) cases.push_back(&c);
  const std::vector<std::string> patterns = split(GetFlag(FLAGS_cases));
  const auto matches = [](const Case* c, const std::string& pattern) {
    std::string regex = std::regex_replace(pattern, std::regex("\\*"), ".*");
    regex = std::regex_replace(regex, std::regex("\\?"), ".");
    return std::regex_match(std::string(c->name), std::regex(regex));
  };
  for (const std::string& pattern : patterns) {
    if (std::none_of(cases.begin(), cases.end(),
                     [&](const Case* c) { return matches(c, pattern); })) {
      raise<ValueError>("--cases: no case matches '", pattern,
                        "'; --list prints their names");
    }
  }
  std::erase_if(cases, [&](const Case* c) {
    return std::none_of(
        patterns.begin(), patterns.end(),
        [&](const std::string& pattern) { return matches(c, pattern); });
  });
  return cases;
}

std::vector<Precision> chosen_precisions(Device device) {
  std::string names = GetFlag(FLAGS_dtypes);
  if (names.empty()) {
    names = device.backend() == Backend::kCuda ? "float32,tf32,float16,bfloat16"
                                               : "float32";
  }
  std::vector<Precision> result;
  for (const std::string& name : split(names)) {
    const auto* found = std::find_if(
        std::begin(kPrecisions), std::end(kPrecisions),
        [&](const Precision& precision) { return precision.name == name; });
    if (found == std::end(kPrecisions)) {
      raise<ValueError>(
          "--dtypes: expected float32, tf32, float16 or "
          "bfloat16, got '",
          name, "'");
    }
    result.push_back(*found);
  }
  return result;
}

std::vector<int64_t> chosen_workspaces(Device device) {
  std::string sizes = GetFlag(FLAGS_workspaces);
  if (sizes.empty() && device.backend() == Backend::kCuda) sizes = "8,1024";
  std::vector<int64_t> result;
  for (const std::string& size : split(sizes)) {
    int64_t mib = 0;
    const char* end = size.data() + size.size();
    const auto [stop, code] = std::from_chars(size.data(), end, mib);
    if (code != std::errc() || stop != end || mib < 0) {
      raise<ValueError>("--workspaces: expected numbers of MiB, got '", size,
                        "'");
    }
    result.push_back(mib << 20);
  }
  return result;
}

// --- The program ---

class Benchmark {
 public:
  explicit Benchmark(Device device)
      : device_(device),
        workspaces_(chosen_workspaces(device)),
        report_(device) {}

  void run(const Case& c, const Precision& precision) {
    if (c.only_float32 && precision.name != "float32") return;
    if (!c.multiplies && precision.tf32) return;
    const auto dtype = using_config(&Config::dtype, precision.config);
    const array::Float32PrecisionScope products(
        precision.tf32 ? array::Float32Precision::kTf32
                       : array::Float32Precision::kExact);
    const auto autotune =
        using_config(&Config::autotune, GetFlag(FLAGS_autotune));
    measure_variant(c, precision, "", false);
    if (c.capturable && device_.backend() == Backend::kCuda) {
      measure_variant(c, precision, "captured", true);
    }
    if (!c.convolves) return;
    const int64_t usual = cuda::get_max_workspace_size();
    for (const int64_t size : workspaces_) {
      if (size == usual) continue;
      cuda::set_max_workspace_size(size);
      measure_variant(c, precision, str("workspace ", size >> 20, " MiB"),
                      false);
    }
    cuda::set_max_workspace_size(usual);
  }

  bool failed() const { return report_.failed(); }

 private:
  // A case that fails leaves the others alone.
  void measure_variant(const Case& c, const Precision& precision,
                       const std::string& variant, bool is_captured) {
    try {
      array::random::seed(0);
      Work work = c.prepare(precision.dtype, GetFlag(FLAGS_small));
      const std::function<void()> owner = work.step;  // of the graph's arrays
      if (is_captured) {
        work.step();  // initializes parameters, allocates
        work.step = capture(work.step);
      }
      report_.add(c, precision.name, variant, work,
                  measure(work.step, device_));
    } catch (const std::exception& error) {
      report_.add_error(c, precision.name, variant, error.what());
    }
  }

  Device device_;
  std::vector<int64_t> workspaces_;
  Report report_;
};

void check_flags() {
  const auto check = [](std::string_view name, auto value, auto min) {
    if (!(value >= min)) {
      raise<ValueError>("--", name, ": expected at least ", min, ", got ",
                        value);
    }
  };
  check("batch", GetFlag(FLAGS_batch), 0);
  check("rounds", GetFlag(FLAGS_rounds), 1);
  check("seconds", GetFlag(FLAGS_seconds), 0);
  check("warmup", GetFlag(FLAGS_warmup), 0);
}

// Returns whether all cases could be measured.
bool run() {
  check_flags();
  if (GetFlag(FLAGS_list)) {
    for (const Case& c : kCases) std::cout << c.name << "\n";
    return true;
  }
  const Device device = Device::parse(GetFlag(FLAGS_device));
  require_device(device, "gpu_benchmark");
  const DeviceScope scope(device);
  const std::vector<const Case*> cases = chosen_cases();
  const std::vector<Precision> precisions = chosen_precisions(device);
  Benchmark benchmark(device);
  for (const Case* c : cases) {
    for (const Precision& precision : precisions) benchmark.run(*c, precision);
  }
  return !benchmark.failed();
}

}  // namespace
}  // namespace catena::benchmarks

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("Measures networks and arrays on a device.");
  const std::vector<char*> arguments = absl::ParseCommandLine(argc, argv);
  try {
    if (arguments.size() > 1) {
      catena::raise<catena::ValueError>(
          "expected flags like --name=value, got '", arguments[1], "'");
    }
    return catena::benchmarks::run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << std::endl;
    return 1;
  }
}
