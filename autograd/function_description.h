#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
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

// The value of an option of a function: none where an optional one is not
// given; sizes and axes are shapes.
class OptionValue {
 public:
  using Variant =
      std::variant<std::monostate, bool, int64_t, double, Dtype, Device, Shape,
                   std::vector<int64_t>, std::string, Array>;

  OptionValue() = default;
  // Not inline: GCC 12 takes inlined moves of variants for uses of
  // uninitialized ones, and speed does not matter here.
  OptionValue(const OptionValue& other);
  OptionValue(OptionValue&& other) noexcept;
  OptionValue& operator=(const OptionValue& other);
  OptionValue& operator=(OptionValue&& other) noexcept;
  ~OptionValue();
  OptionValue(bool value) : value_(value) {}
  template <AxisNumber T>
  OptionValue(T value) : value_(static_cast<int64_t>(value)) {}
  OptionValue(Axis value) : value_(int64_t{value}) {}
  OptionValue(double value) : value_(value) {}
  OptionValue(Dtype value) : value_(value) {}
  OptionValue(const Shape& value) : value_(value) {}
  OptionValue(Device value) : value_(value) {}
  // Any number of numbers.
  OptionValue(const std::vector<int64_t>& value) : value_(value) {}
  OptionValue(Scalar value) {
    if (value.kind() == DtypeKind::kFloat) {
      value_ = value.as<double>();
    } else {
      value_ = value.as<int64_t>();
    }
  }
  OptionValue(const AxisSet& value) : OptionValue(value.axes()) {}
  OptionValue(std::string_view value) : value_(std::string(value)) {}
  OptionValue(const std::string& value) : value_(value) {}
  OptionValue(const char* value) : value_(std::string(value)) {}
  // None if undefined.
  OptionValue(const Array& value) {
    if (value.defined()) value_ = value;
  }
  template <class T>
  OptionValue(const std::optional<T>& value) {
    if (value.has_value()) *this = OptionValue(*value);
  }

  bool is_none() const { return value_.index() == 0; }
  // Null unless the value has this type.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  // As in a program: 1, true, (2, 2), float32; of an array its dtype and shape.
  std::string to_string() const;

 private:
  Variant value_;
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
  template <class T>
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
