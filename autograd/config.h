#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <type_traits>
#include <utility>

#include "catena/array/dtype.h"

namespace catena {

// When a library of the vendor's does the work instead of catena's own kernels:
// never, where it is the better choice, or wherever it can.
enum class Usage : uint8_t { kNever, kAuto, kAlways };
std::ostream& operator<<(std::ostream& os, Usage usage);

// The setting Config::dtype: a floating dtype, or mixed16. That is float16
// wherever a dtype is asked for, but get_dtype tells the two apart: what needs
// the precision stays in float32 (statistics of batch normalization, and the
// copies of parameters that optimizers update).
class DefaultDtype {
 public:
  constexpr DefaultDtype(Dtype dtype) : dtype_(dtype) {}
  static constexpr DefaultDtype mixed16() {
    DefaultDtype result(Dtype::kFloat16);
    result.is_mixed16_ = true;
    return result;
  }

  constexpr operator Dtype() const { return dtype_; }
  constexpr bool is_mixed16() const { return is_mixed16_; }

  friend constexpr bool operator==(DefaultDtype a, DefaultDtype b) {
    return a.dtype_ == b.dtype_ && a.is_mixed16_ == b.is_mixed16_;
  }
  friend constexpr bool operator==(DefaultDtype a, Dtype b) {
    return a == DefaultDtype(b);
  }

 private:
  Dtype dtype_;
  bool is_mixed16_ = false;
};
inline constexpr DefaultDtype mixed16 = DefaultDtype::mixed16();
std::ostream& operator<<(std::ostream& os, DefaultDtype dtype);

// Settings that functions and links read. Each thread has its own, which start
// as a copy of global_config() when the thread first asks. An environment
// variable changes what the latter starts with; ValueError where it has no
// meaning.
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
  // The dtype of parameters that do not say otherwise, and the default of what
  // makes floating arrays: float16, bfloat16, float32, float64 or mixed16, as
  // CATENA_DTYPE may say.
  DefaultDtype dtype = Dtype::kFloat32;
  // Whether the backward pass adds the gradients of a variable that is used
  // several times only once all of them are there: one function of a recorded
  // pass instead of one for each, and more memory until then.
  // CATENA_LAZY_GRAD_SUM=1 turns it on.
  bool lazy_grad_sum = false;
  // Whether forward runs for the second time, within the backward of forget:
  // what changes running statistics leaves them alone.
  bool in_recomputing = false;

  // Whether cuDNN does what it can on CUDA: CATENA_USE_CUDNN is never, auto or
  // always, and CATENA_CUDNN=0 means never.
  Usage use_cudnn = Usage::kAuto;
  // Whether cuDNN and CUDA kernels of our own give the same bits each time, at
  // a cost.
  bool cudnn_deterministic = false;
  // Whether cuDNN and cuBLAS may round inputs for tensor cores: in kAuto only
  // those of float16 and bfloat16.
  Usage use_cudnn_tensor_core = Usage::kAuto;
  // Whether cuDNN tries its algorithms out on the first call of each shape.
  bool autotune = false;
  // Whether oneDNN does what it can on the CPU. CATENA_USE_ONEDNN is never,
  // auto or always.
  Usage use_onednn = Usage::kAuto;

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

// While the scope lives no graph is recorded (no), or one is in spite of an
// outer no_backprop_mode() (force).
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

// Whether a function may use cuDNN or oneDNN: wherever the library may be used
// at all, or, with kAlways, only where the configuration demands it.
inline bool should_use_cudnn(Usage min = Usage::kAuto) {
  return config().use_cudnn >= min;
}
inline bool should_use_onednn(Usage min = Usage::kAuto) {
  return config().use_onednn >= min;
}

// The dtype itself, or the one of this thread's settings. Where that is
// mixed16: `map_mixed16`, or float16.
inline Dtype get_dtype(std::optional<DefaultDtype> dtype = std::nullopt,
                       std::optional<Dtype> map_mixed16 = std::nullopt) {
  const DefaultDtype chosen = dtype ? *dtype : config().dtype;
  return chosen.is_mixed16() && map_mixed16 ? *map_mixed16 : Dtype(chosen);
}

}  // namespace catena
