#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <type_traits>
#include <utility>

#include "catena/array/core/dtype.h"

namespace catena {

// When to use a vendor library instead of catena's own kernels: never, where it
// is faster, or wherever possible.
enum class Usage : uint8_t { kNever, kAuto, kAlways };
std::ostream& operator<<(std::ostream& os, Usage usage);

// The type of Config::dtype: a floating dtype, or mixed16. mixed16 converts to
// float16, but get_dtype can map it to another dtype, so that values that need
// the precision stay in float32 (batch normalization statistics, and the master
// copies of parameters that optimizers update).
class DefaultDtype {
 public:
  constexpr DefaultDtype(Dtype dtype) : dtype_(dtype) {}
  // float16 for computation, float32 for parameters.
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
// float16 for computation, float32 for parameters.
inline constexpr DefaultDtype mixed16 = DefaultDtype::mixed16();
std::ostream& operator<<(std::ostream& os, DefaultDtype dtype);

// The type of Config::autocast: off, which is std::nullopt, or a dtype of 16
// bits.
class AutocastDtype {
 public:
  constexpr AutocastDtype() = default;
  constexpr AutocastDtype(std::nullopt_t) {}
  // Throws DtypeError unless it is float16 or bfloat16.
  AutocastDtype(Dtype dtype);

  constexpr bool is_on() const { return dtype_ != kOff; }
  // float32 when off.
  constexpr Dtype dtype() const { return dtype_; }

  friend constexpr bool operator==(AutocastDtype, AutocastDtype) = default;

 private:
  static constexpr Dtype kOff = Dtype::kFloat32;

  Dtype dtype_ = kOff;
};
// "off", or the name of the dtype.
std::ostream& operator<<(std::ostream& os, AutocastDtype dtype);

// Settings that functions and links read. Each thread has its own, copied from
// global_config() on first use. Environment variables set the initial values of
// global_config(); an invalid value throws ValueError.
struct Config {
  // Whether applying a function records the graph that backward() needs.
  bool enable_backprop = true;
  // Whether dropout, batch normalization etc. run in training mode.
  bool train = true;
  // Whether function inputs are checked. CATENA_TYPE_CHECK=0 turns it off.
  bool type_check = true;
  // Whether every forward and backward result is checked for NaN. The check
  // throws GradientError, naming the function, when it finds one.
  // CATENA_DEBUG=1 turns it on.
  bool debug = false;
  // Whether reported Variables keep their graph.
  // CATENA_KEEP_GRAPH_ON_REPORT=1 turns it on.
  bool keep_graph_on_report = false;
  // The default dtype of parameters and of new floating arrays: float16,
  // bfloat16, float32, float64 or mixed16. CATENA_DTYPE sets it.
  DefaultDtype dtype = Dtype::kFloat32;
  // The 16 bits in which products of float32 values are computed: see
  // autocast.h. CATENA_AUTOCAST is off, float16 or bfloat16.
  AutocastDtype autocast = std::nullopt;
  // Whether the backward pass waits until it has all gradients of a variable
  // that is used several times and then adds them at once. A recorded pass then
  // has one function instead of one per addition, but needs more memory.
  // CATENA_LAZY_GRAD_SUM=1 turns it on.
  bool lazy_grad_sum = false;
  // Whether forward is running a second time, inside the backward of forget.
  // Running statistics must not be updated then.
  bool in_recomputing = false;

  // When to use cuDNN on CUDA. CATENA_USE_CUDNN is never, auto or always;
  // CATENA_CUDNN=0 means never.
  Usage use_cudnn = Usage::kAuto;
  // Whether cuDNN and catena's CUDA kernels must be bitwise reproducible, at
  // some cost in speed.
  bool cudnn_deterministic = false;
  // Whether cuDNN may use tensor cores. kAuto allows it for float16 and
  // bfloat16, and for float32 where get_float32_precision() is kTf32; kAlways
  // also rounds float32 to TF32 in any case. cuBLAS follows
  // get_float32_precision() alone (array/linalg/float32_precision.h).
  Usage use_cudnn_tensor_core = Usage::kAuto;
  // Whether convolutions use cuDNN's graph API, with newer engines that also
  // run bias, residual and relu of a plan, where it has an execution plan for
  // them and autotune is off. CATENA_USE_CUDNN_GRAPH=1 turns it on.
  bool use_cudnn_graph = false;
  // Whether n-step LSTMs, GRUs and RNNs run all their layers in one call of
  // cuDNN, which then overlaps the steps of different layers, and whose dropout
  // between the layers draws other masks. CATENA_USE_CUDNN_RNN_STACK=1 turns it
  // on.
  bool use_cudnn_rnn_stack = false;
  // Whether cuDNN benchmarks its algorithms on the first call with each shape.
  bool autotune = false;
  // When to use oneDNN on the CPU. CATENA_USE_ONEDNN is never, auto or always.
  Usage use_onednn = Usage::kAuto;

  // Writes one "name value" line per setting, those of ConfigEntry objects
  // last.
  void show(std::ostream& os) const;
};

// The settings that new threads copy. Change them before starting threads.
Config& global_config();

// This thread's settings.
Config& config();

namespace internal {

// What is called once, on this thread, when a scope ends and autocast is off
// again.
void set_autocast_end(void (*function)());
void end_autocast();

}  // namespace internal

// Restores a setting of this thread on destruction.
template <class T>
class [[nodiscard]] ConfigScope {
 public:
  ConfigScope(T Config::*entry, T value)
      : entry_(entry), previous_(std::exchange(config().*entry, value)) {}
  ~ConfigScope() {
    config().*entry_ = previous_;
    if constexpr (std::is_same_v<T, AutocastDtype>) {
      if (!previous_.is_on()) internal::end_autocast();
    }
  }
  ConfigScope(const ConfigScope&) = delete;
  ConfigScope& operator=(const ConfigScope&) = delete;

 private:
  T Config::*entry_;
  T previous_;
};

// Changes a setting for a scope:
//   const auto scope = using_config(&Config::train, false);
template <class T>
ConfigScope<T> using_config(T Config::*entry, std::type_identity_t<T> value) {
  return ConfigScope<T>(entry, value);
}

// Turn graph recording off for a scope, or back on inside an outer
// no_backprop_mode().
inline ConfigScope<bool> no_backprop_mode() {
  return ConfigScope<bool>(&Config::enable_backprop, false);
}
inline ConfigScope<bool> force_backprop_mode() {
  return ConfigScope<bool>(&Config::enable_backprop, true);
}

// Debug mode of this thread, permanently or for a scope; see Config::debug.
inline bool is_debug() { return config().debug; }
inline void set_debug(bool debug) { config().debug = debug; }
struct [[nodiscard]] DebugMode : ConfigScope<bool> {
  explicit DebugMode(bool debug) : ConfigScope(&Config::debug, debug) {}
};

// Whether this thread's setting is at least `min`: the default asks whether the
// library may be used at all, kAlways whether it must be.
inline bool should_use_cudnn(Usage min = Usage::kAuto) {
  return config().use_cudnn >= min;
}
inline bool should_use_onednn(Usage min = Usage::kAuto) {
  return config().use_onednn >= min;
}

// `dtype`, which defaults to config().dtype. mixed16 becomes `map_mixed16` if
// given, else float16.
inline Dtype get_dtype(std::optional<DefaultDtype> dtype = std::nullopt,
                       std::optional<Dtype> map_mixed16 = std::nullopt) {
  const DefaultDtype chosen = dtype ? *dtype : config().dtype;
  return chosen.is_mixed16() && map_mixed16 ? *map_mixed16 : Dtype(chosen);
}

}  // namespace catena
