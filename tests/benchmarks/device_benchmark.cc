// How fast a device is: training and inference of networks, memory bandwidth,
// products, the cost of small operations. torch_benchmark.py does the same work
// with PyTorch; in_turns runs both in turns and puts them side by side:
//
//   device_benchmark --device=cuda:0 --out=catena.jsonl
//   in_turns --catena=device_benchmark --device=cuda:0
//
//   Time:   ten minutes for everything on a data center's GPU. --cases=resnet*
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
#include "catena/array/core/backend.h"
#include "catena/array/core/captured_work.h"
#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/error.h"
#include "catena/array/core/version.h"
#include "catena/array/linalg/float32_precision.h"
#include "catena/array/onednn/description.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/cuda/workspace_size.h"
#include "catena/tests/benchmarks/cases.h"
#include "catena/tests/benchmarks/gpu.h"

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
    const BackendTable* backend = backend_table(device.backend());
    const std::string name =
        backend->describe != nullptr ? backend->describe(device) : "CPU";
    const std::string version = str(kVersion, " ", cuda_versions());
    std::cout << "# catena " << version << " on " << device << ": " << name
              << std::endl;
    line("\"device\": " + quoted(str(device)) + ", \"name\": " + quoted(name) +
         ", \"version\": " + quoted(version));
  }

  void add(const Case& c, std::string_view dtype, const std::string& variant,
           const Work& work, const Speed& speed,
           std::optional<int64_t> peak_memory) {
    const double rate = work.amount / speed.seconds;
    std::cout << head(c, dtype, variant);
    char text[96];
    std::snprintf(text, sizeof(text), "%10.4g ms  +-%2.0f%%",
                  speed.seconds * 1e3, speed.spread * 50);
    std::cout << text << "  " << with_prefix(rate) << work.unit << "/s";
    if (peak_memory) std::cout << ", " << (*peak_memory >> 20) << " MiB";
    std::cout << std::endl;
    std::ostringstream json;
    json << keys(c, dtype, variant) << ", \"seconds\": " << speed.seconds
         << ", \"spread\": " << speed.spread << ", \"rate\": " << rate
         << ", \"unit\": " << quoted(str(work.unit, "/s"));
    if (peak_memory) json << ", \"memory\": " << *peak_memory;
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
    std::string text = c.name;
    text.resize(36, ' ');
    text += dtype;
    text.resize(45, ' ');
    text += variant;
    text.resize(std::max<size_t>(text.size() + 1, 65), ' ');
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

std::vector<Case> chosen_cases() {
  std::vector<Case> all = cases();
  const std::vector<std::string> patterns = split(GetFlag(FLAGS_cases));
  const auto matches = [](const Case& c, const std::string& pattern) {
    std::string regex = std::regex_replace(pattern, std::regex("\\*"), ".*");
    regex = std::regex_replace(regex, std::regex("\\?"), ".");
    return std::regex_match(c.name, std::regex(regex));
  };
  for (const std::string& pattern : patterns) {
    if (std::none_of(all.begin(), all.end(),
                     [&](const Case& c) { return matches(c, pattern); })) {
      raise<ValueError>("--cases: no case matches '", pattern,
                        "'; --list prints their names");
    }
  }
  std::erase_if(all, [&](const Case& c) {
    return std::none_of(
        patterns.begin(), patterns.end(),
        [&](const std::string& pattern) { return matches(c, pattern); });
  });
  return all;
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
    const auto measure_as = [&](const std::string& variant) {
      measure_variant(c, c.prepare, precision, variant);
    };
    const bool on_gpu = device_.backend() == Backend::kCuda;
    const bool has_captured = on_gpu && c.capture != Case::Capture::kNever;
    measure_as("");
    if (has_captured) measure_as(kCaptured);
    if ((c.convolves || c.has_images) && on_gpu) {
      measure_as(kChannelsLast);
      if (has_captured) measure_as(str(kChannelsLast, " ", kCaptured));
    }
    if (c.convolves && on_gpu) {
      const auto graph = using_config(&Config::use_cudnn_graph, true);
      measure_as(kGraph);
      measure_as(str(kChannelsLast, " ", kGraph,
                     has_captured ? str(" ", kCaptured) : ""));
    }
    if (c.stacks_layers && on_gpu) {
      const auto one_call = using_config(&Config::use_cudnn_rnn_stack, true);
      measure_as(kOneCall);
      if (has_captured) measure_as(str(kOneCall, " ", kCaptured));
    }
    const bool has_plan = on_gpu || (!precision.tf32 &&
                                     cpu::onednn::computes_in(precision.dtype));
    if (c.prepare_plan != nullptr && has_plan) {
      // On a GPU plans are captured as they are.
      measure_variant(c, c.prepare_plan, precision, "plan");
    }
    if (!c.convolves) return;
    const int64_t usual = cuda::get_max_workspace_size();
    for (const int64_t size : workspaces_) {
      if (size == usual) continue;
      cuda::set_max_workspace_size(size);
      measure_as(str("workspace ", size >> 20, " MiB"));
    }
    cuda::set_max_workspace_size(usual);
  }

  bool failed() const { return report_.failed(); }

 private:
  static constexpr const char* kCaptured = "captured";
  static constexpr const char* kChannelsLast = "channels_last";
  // Convolutions by cuDNN's graph API.
  static constexpr const char* kGraph = "graph";
  static constexpr const char* kOneCall = "one_call";

  // A case that fails leaves the others alone.
  void measure_variant(const Case& c, const Case::Prepare& prepare,
                       const Precision& precision, const std::string& variant) {
    try {
      array::random::seed(0);
      reset_peak_memory(device_);
      const bool captured = variant.ends_with(kCaptured);
      const CaseOptions options = {
          .dtype = precision.dtype,
          .small = GetFlag(FLAGS_small),
          .batch = GetFlag(FLAGS_batch),
          .channels_last = variant.starts_with(kChannelsLast),
          .captured = captured};
      Work work = prepare(options);
      const std::function<void()> owner = work.step;  // of the graph's arrays
      if (captured) {
        work.step();  // initializes parameters, allocates
        if (c.capture == Case::Capture::kTraining) {
          work.step();  // captures
        } else {
          const std::shared_ptr<CapturedWork> graph =
              capture_work(device_, work.step);
          work.step = [graph] { graph->launch(); };
        }
      }
      const Speed speed = measure(work.step, device_);
      report_.add(c, precision.name, variant, work, speed,
                  peak_memory(device_));
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
    for (const Case& c : cases()) std::cout << c.name << "\n";
    return true;
  }
  const Device device = Device::parse(GetFlag(FLAGS_device));
  require_device(device, "device_benchmark");
  const DeviceScope scope(device);
  const std::vector<Case> chosen = chosen_cases();
  const std::vector<Precision> precisions = chosen_precisions(device);
  Benchmark benchmark(device);
  for (const Case& c : chosen) {
    for (const Precision& precision : precisions) benchmark.run(c, precision);
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
