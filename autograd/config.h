#pragma once

#include <iosfwd>
#include <optional>
#include <type_traits>
#include <utility>

#include "catena/array/dtype.h"

namespace catena {

// Settings that functions and links read. Each thread has its own, which start
// as a copy of global_config() when the thread first asks.
struct Config {
  // Whether applying a function records the graph that backward() needs.
  bool enable_backprop = true;
  // Whether dropout, batch normalization and the like act as in training.
  bool train = true;
  // Whether inputs of functions are checked. CATENA_TYPE_CHECK=0 turns it off
  // at start.
  bool type_check = true;
  // Whether every forward and backward result is searched for NaN, which then
  // throws GradientError naming the function. CATENA_DEBUG=1 turns it on.
  bool debug = false;
  // Whether reported Variables keep their graph.
  // CATENA_KEEP_GRAPH_ON_REPORT=1 turns it on.
  bool keep_graph_on_report = false;
  // The dtype of parameters that do not say otherwise.
  Dtype dtype = Dtype::kFloat32;

  // Writes one "name value" line for each setting.
  void show(std::ostream& os) const;
};

// The settings new threads start from. Change it before threads are started.
Config& global_config();

// This thread's settings.
Config& config();

// Restores a setting of this thread when it goes.
template <class T>
class [[nodiscard]] ConfigScope {
 public:
  ConfigScope(T Config::*entry, T value)
      : entry_(entry), previous_(std::exchange(config().*entry, value)) {}
  ~ConfigScope() { config().*entry_ = previous_; }
  ConfigScope(const ConfigScope&) = delete;
  ConfigScope& operator=(const ConfigScope&) = delete;

 private:
  T Config::*entry_;
  T previous_;
};

// Changes a setting for a block:
//   const auto scope = using_config(&Config::train, false);
template <class T>
ConfigScope<T> using_config(T Config::*entry, std::type_identity_t<T> value) {
  return ConfigScope<T>(entry, value);
}

// In the scope no graph is recorded, respectively it is in spite of an outer
// no_backprop_mode().
inline ConfigScope<bool> no_backprop_mode() {
  return ConfigScope<bool>(&Config::enable_backprop, false);
}
inline ConfigScope<bool> force_backprop_mode() {
  return ConfigScope<bool>(&Config::enable_backprop, true);
}

// Debug mode of this thread, for good or for a block: see Config::debug.
inline bool is_debug() { return config().debug; }
inline void set_debug(bool debug) { config().debug = debug; }
struct [[nodiscard]] DebugMode : ConfigScope<bool> {
  explicit DebugMode(bool debug) : ConfigScope(&Config::debug, debug) {}
};

// The dtype itself, or the one of this thread's settings.
inline Dtype get_dtype(std::optional<Dtype> dtype = std::nullopt) {
  return dtype.value_or(config().dtype);
}

}  // namespace catena
