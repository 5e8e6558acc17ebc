#include "catena/autograd/config.h"

#include <cstdlib>
#include <ostream>
#include <string_view>

namespace catena {
namespace {

bool flag_from_environment(const char* name, bool fallback) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return fallback;
  return std::string_view(value) != "0";
}

Config config_from_environment() {
  Config config;
  config.type_check =
      flag_from_environment("CATENA_TYPE_CHECK", config.type_check);
  config.debug = flag_from_environment("CATENA_DEBUG", config.debug);
  config.keep_graph_on_report = flag_from_environment(
      "CATENA_KEEP_GRAPH_ON_REPORT", config.keep_graph_on_report);
  return config;
}

// Kept apart from the config so that reading it stays one load: a thread-local
// with a dynamic initializer would be checked at every access.
constinit thread_local bool is_initialized = false;
constinit thread_local Config thread_config;

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

void Config::show(std::ostream& os) const {
  const auto flag = [&](std::string_view name, bool value) {
    os << name << ' ' << (value ? "true" : "false") << '\n';
  };
  flag("debug", debug);
  os << "dtype " << dtype << '\n';
  flag("enable_backprop", enable_backprop);
  flag("keep_graph_on_report", keep_graph_on_report);
  flag("train", train);
  flag("type_check", type_check);
}

}  // namespace catena
