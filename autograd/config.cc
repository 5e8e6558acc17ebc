#include "catena/autograd/config.h"

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "catena/array/core/environment.h"
#include "catena/array/core/error.h"
#include "catena/autograd/config_entry.h"

namespace catena {
namespace {

bool flag_from_environment(const char* name, bool fallback) {
  const char* value = environment(name);
  if (value == nullptr) return fallback;
  return std::string_view(value) != "0";
}

constexpr std::string_view kUsages[] = {"never", "auto", "always"};

// The index of an environment variable's value in `names`.
template <size_t kCount>
std::optional<size_t> choice_from_environment(
    const char* name, const std::string_view (&names)[kCount]) {
  const char* value = environment(name);
  if (value == nullptr) return std::nullopt;
  std::string expected;
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == value) return i;
    expected += (expected.empty() ? "" : ", ") + std::string(names[i]);
  }
  raise<ValueError>(name, ": expected one of ", expected, ", got '", value,
                    "'");
}

Usage usage_from_environment(const char* name, Usage fallback) {
  const auto choice = choice_from_environment(name, kUsages);
  return choice ? static_cast<Usage>(*choice) : fallback;
}

DefaultDtype dtype_from_environment(const char* name, DefaultDtype fallback) {
  constexpr std::string_view kNames[] = {"float16", "bfloat16", "float32",
                                         "float64", "mixed16"};
  const auto choice = choice_from_environment(name, kNames);
  if (!choice) return fallback;
  if (kNames[*choice] == "mixed16") return mixed16;
  return dtype_from_name(kNames[*choice]);
}

AutocastDtype autocast_from_environment(AutocastDtype fallback) {
  constexpr std::string_view kNames[] = {"off", "float16", "bfloat16"};
  const auto choice = choice_from_environment("CATENA_AUTOCAST", kNames);
  if (!choice) return fallback;
  if (*choice == 0) return std::nullopt;
  return dtype_from_name(kNames[*choice]);
}

Config config_from_environment() {
  warn_of_unknown_variables();
  Config config;
  config.type_check =
      flag_from_environment("CATENA_TYPE_CHECK", config.type_check);
  config.debug = flag_from_environment("CATENA_DEBUG", config.debug);
  config.keep_graph_on_report = flag_from_environment(
      "CATENA_KEEP_GRAPH_ON_REPORT", config.keep_graph_on_report);
  config.dtype = dtype_from_environment("CATENA_DTYPE", config.dtype);
  config.autocast = autocast_from_environment(config.autocast);
  config.lazy_grad_sum =
      flag_from_environment("CATENA_LAZY_GRAD_SUM", config.lazy_grad_sum);
  config.use_cudnn =
      usage_from_environment("CATENA_USE_CUDNN", config.use_cudnn);
  if (!flag_from_environment("CATENA_CUDNN", true)) {
    config.use_cudnn = Usage::kNever;
  }
  config.use_cudnn_graph =
      flag_from_environment("CATENA_USE_CUDNN_GRAPH", config.use_cudnn_graph);
  config.use_cudnn_rnn_stack = flag_from_environment(
      "CATENA_USE_CUDNN_RNN_STACK", config.use_cudnn_rnn_stack);
  config.use_onednn =
      usage_from_environment("CATENA_USE_ONEDNN", config.use_onednn);
  return config;
}

// Separate from the config, so that reading the config is a single load: a
// thread-local with a dynamic initializer would be checked at every access.
constinit thread_local bool is_initialized = false;
constinit thread_local Config thread_config;
using AutocastEnd = void();
constinit thread_local AutocastEnd* autocast_end = nullptr;

}  // namespace

Config& global_config() {
  static Config config = config_from_environment();
  return config;
}

Config& config() {
  if (!is_initialized) [[unlikely]] {
    thread_config = global_config();
    is_initialized = true;
  }
  return thread_config;
}

namespace internal {

void set_autocast_end(void (*function)()) { autocast_end = function; }

void end_autocast() {
  if (autocast_end != nullptr) std::exchange(autocast_end, nullptr)();
}

}  // namespace internal

AutocastDtype::AutocastDtype(Dtype dtype) : dtype_(dtype) {
  if (dtype == Dtype::kFloat16 || dtype == Dtype::kBFloat16) return;
  raise<DtypeError>(
      "Config::autocast: expected float16 or bfloat16, or "
      "std::nullopt for none, got ",
      dtype);
}

std::ostream& operator<<(std::ostream& os, AutocastDtype dtype) {
  return dtype.is_on() ? os << dtype.dtype() : os << "off";
}

std::ostream& operator<<(std::ostream& os, Usage usage) {
  return os << kUsages[static_cast<size_t>(usage)];
}

std::ostream& operator<<(std::ostream& os, DefaultDtype dtype) {
  return dtype.is_mixed16() ? os << "mixed16" : os << Dtype(dtype);
}

void Config::show(std::ostream& os) const {
  const auto line = [&](std::string_view name, const auto& value) {
    os << name << ' ';
    if constexpr (std::is_same_v<decltype(value), const bool&>) {
      os << (value ? "true" : "false");
    } else {
      os << value;
    }
    os << '\n';
  };
  line("autocast", autocast);
  line("autotune", autotune);
  line("cudnn_deterministic", cudnn_deterministic);
  line("debug", debug);
  line("dtype", dtype);
  line("enable_backprop", enable_backprop);
  line("in_recomputing", in_recomputing);
  line("keep_graph_on_report", keep_graph_on_report);
  line("lazy_grad_sum", lazy_grad_sum);
  line("train", train);
  line("type_check", type_check);
  line("use_cudnn", use_cudnn);
  line("use_cudnn_graph", use_cudnn_graph);
  line("use_cudnn_rnn_stack", use_cudnn_rnn_stack);
  line("use_cudnn_tensor_core", use_cudnn_tensor_core);
  line("use_onednn", use_onednn);
  internal::show_entries(os);
}

}  // namespace catena
