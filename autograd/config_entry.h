#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "catena/autograd/config.h"

namespace catena {

namespace internal {

// One of the last lines of Config::show().
class ShownSetting {
 public:
  ShownSetting(const ShownSetting&) = delete;
  ShownSetting& operator=(const ShownSetting&) = delete;
  virtual void show_value(std::ostream& os) const = 0;

 protected:
  explicit ShownSetting(std::string name);
  ~ShownSetting();
  // Shows it no more: before its value is destroyed.
  void remove();
  // No other object has had this number.
  int64_t number() const { return number_; }

 private:
  std::string name_;
  int64_t number_;
};
// Writes the lines of all objects, by name.
void show_entries(std::ostream& os);

}  // namespace internal

template <class T>
concept SettingType = std::copyable<T> && requires(std::ostream& os, T value) {
  os << value;
};

// A setting of a program's own, beside those of config(), which
// config().show() lists, too. A global object:
//
//   ConfigEntry<double> temperature("temperature", 1.0);
//
//   logits / *temperature
//   *temperature = 0.5;                                  // from now on
//   const auto scope = using_config(temperature, 2.0);   // for a scope
//
// Each thread has a value of its own, copied from global() on first use.
template <SettingType T>
class ConfigEntry final : internal::ShownSetting {
 public:
  // Throws ValueError when config() or another object has that name, or it has
  // other characters than letters, digits and underscores.
  ConfigEntry(std::string name, T initial)
      : ShownSetting(std::move(name)), global_(std::move(initial)) {}
  ~ConfigEntry() { remove(); }

  // This thread's value.
  T& operator*() const {
    thread_local std::unordered_map<int64_t, T> values;
    return values.try_emplace(number(), global_).first->second;
  }
  T* operator->() const { return &**this; }
  // What new threads copy. Change it before starting threads.
  T& global() { return global_; }

 private:
  void show_value(std::ostream& os) const override { os << **this; }

  T global_;
};

// Restores a setting of this thread on destruction.
template <class T>
class [[nodiscard]] ConfigEntryScope {
 public:
  ConfigEntryScope(const ConfigEntry<T>& entry, T value)
      : entry_(entry), previous_(std::exchange(*entry, std::move(value))) {}
  ~ConfigEntryScope() { *entry_ = std::move(previous_); }
  ConfigEntryScope(const ConfigEntryScope&) = delete;
  ConfigEntryScope& operator=(const ConfigEntryScope&) = delete;

 private:
  const ConfigEntry<T>& entry_;
  T previous_;
};
template <class T>
ConfigEntryScope<T> using_config(const ConfigEntry<T>& entry,
                                 std::type_identity_t<T> value) {
  return ConfigEntryScope<T>(entry, std::move(value));
}

}  // namespace catena
