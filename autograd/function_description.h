#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/axis.h"
#include "catena/array/core/device.h"
#include "catena/array/core/dtype.h"
#include "catena/array/core/error.h"
#include "catena/array/core/scalar.h"
#include "catena/array/core/shape.h"

// What a function node says of itself to readers of the graph, such as
// execution plans and exporters: see FunctionNode::description().
namespace catena {

// What a function is. A type stands for each kind, not a text, so that nobody's
// function is taken for another that happens to have the same label. The type
// may be incomplete: it only has to be declared where its name is used. Those
// of //functions are in functions/kinds.h.
class FunctionKind {
 public:
  // That of a function which states none.
  constexpr FunctionKind() = default;
  template <class Type>
  static constexpr FunctionKind of() {
    FunctionKind kind;
    kind.id_ = &kId<Type>;
    return kind;
  }

  constexpr bool is_stated() const { return id_ != nullptr; }
  template <class Type>
  constexpr bool is() const {
    return id_ == &kId<Type>;
  }
  friend constexpr bool operator==(FunctionKind, FunctionKind) = default;

 private:
  // Its address is the type's number.
  template <class Type>
  static constexpr char kId = 0;

  const char* id_ = nullptr;
};

// What an option can be, apart from none.
template <class T>
concept OptionType = std::same_as<T, bool> || std::same_as<T, int64_t> ||
    std::same_as<T, double> || std::same_as<T, Dtype> ||
    std::same_as<T, Device> || std::same_as<T, Shape> ||
    std::same_as<T, std::vector<int64_t>> || std::same_as<T, std::string> ||
    std::same_as<T, Array>;

// The value of an option of a function: none where an optional one is not
// given; sizes and axes are shapes.
class OptionValue {
 public:
  OptionValue() = default;
  OptionValue(bool value);
  template <AxisNumber T>
  OptionValue(T value) : OptionValue(of_integer(static_cast<int64_t>(value))) {}
  OptionValue(Axis value) : OptionValue(of_integer(int64_t{value})) {}
  OptionValue(double value);
  OptionValue(Dtype value);
  OptionValue(const Shape& value);
  OptionValue(Device value);
  // Any number of numbers.
  OptionValue(const std::vector<int64_t>& value);
  OptionValue(Scalar value);
  OptionValue(const AxisSet& value) : OptionValue(value.axes()) {}
  OptionValue(std::string_view value);
  OptionValue(const std::string& value)
      : OptionValue(std::string_view(value)) {}
  OptionValue(const char* value) : OptionValue(std::string_view(value)) {}
  // None if undefined.
  OptionValue(const Array& value);
  template <class T>
  OptionValue(const std::optional<T>& value) {
    if (value.has_value()) *this = OptionValue(*value);
  }

  bool is_none() const { return value_ == nullptr; }
  // Null unless the value has this type.
  template <OptionType T>
  const T* get_if() const;
  // As in a program: 1, true, (2, 2), float32; of an array its dtype and shape.
  std::string to_string() const;

 private:
  // A std::variant, which is slow to compile in every program.
  struct Value;

  static OptionValue of_integer(int64_t value);
  template <class T>
  void set(T value);

  std::shared_ptr<const Value> value_;  // null for none
};

// An option of a function, by the name that it has in the options struct.
struct FunctionOption {
  std::string_view name;
  OptionValue value;
};
// In the order of the options struct.
using FunctionOptions = std::vector<FunctionOption>;

// The options of a struct that has
//
//   template <class Visit>
//   void visit_options(Visit visit) const {
//     visit("slope", slope);
//   }
//
// by which structs that are compiled for devices, too, name their fields; none
// of an empty struct.
template <class Struct>
FunctionOptions options_of([[maybe_unused]] const Struct& fields) {
  FunctionOptions options;
  if constexpr (!std::is_empty_v<Struct>) {
    fields.visit_options([&](std::string_view name, const auto& value) {
      options.push_back({name, OptionValue(value)});
    });
  }
  return options;
}

// The kind of a function and its options, under the names that they have in its
// options struct.
class FunctionDescription {
 public:
  // For a function that states nothing, such as a user's own.
  FunctionDescription() = default;
  FunctionDescription(FunctionKind kind, FunctionOptions options)
      : kind_(kind), options_(std::move(options)) {}
  template <class Kind>
  static FunctionDescription of(FunctionOptions options = {}) {
    return {FunctionKind::of<Kind>(), std::move(options)};
  }

  FunctionKind kind() const { return kind_; }
  template <class Kind>
  bool is() const {
    return kind_.is<Kind>();
  }

  const FunctionOptions& options() const { return options_; }
  // Null if there is no such option.
  const OptionValue* find(std::string_view option) const;
  // Throws ValueError unless there is such an option with a value of the type
  // T.
  template <OptionType T>
  const T& get(std::string_view option) const {
    const OptionValue* const value = find(option);
    const T* const typed = value == nullptr ? nullptr : value->get_if<T>();
    if (typed == nullptr) raise_missing(option);
    return *typed;
  }
  int64_t integer(std::string_view option) const {
    return get<int64_t>(option);
  }
  double number(std::string_view option) const { return get<double>(option); }
  const Shape& sizes(std::string_view option) const {
    return get<Shape>(option);
  }

  // The options as text, "stride=(2, 2), groups=1".
  std::string to_string() const;

 private:
  [[noreturn]] void raise_missing(std::string_view option) const;

  FunctionKind kind_;
  FunctionOptions options_;
};

}  // namespace catena
