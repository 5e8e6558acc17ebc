#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "catena/array/core/named_fields_only.h"
#include "catena/array/core/shape.h"

// The argument `axis`, by position or by name wherever a function has one:
//
//   sum(a), sum(a, 1), sum(a, {0, -1}), sum(a, {.axis = 1, .keepdims = true})
//   softmax(x, 1), softmax(x, {.axis = 1})
//
// Only by name where NumPy or Chainer have another argument first: norm(x,
// {.axis = 1}), normalize(x, {.axis = 1}). Negative axes count from the end.
//
// A function takes an Axis, a std::optional<Axis> if it can do without (it then
// flattens the array), or an AxisSet if it takes several.
namespace catena {

// An integer. Others do not convert to an axis, so that sum(a, true), perhaps
// meant as keepdims, and sum(a, 0.5) do not compile.
template <class T>
concept AxisNumber = std::integral<T> && !std::same_as<T, bool>;

// One axis.
class Axis {
 public:
  template <AxisNumber T>
  constexpr Axis(T axis) : axis_(static_cast<int64_t>(axis)) {}
  constexpr operator int64_t() const { return axis_; }

 private:
  int64_t axis_;
};

// One axis, several, none (Axes()), or all (by default, or nullopt).
class AxisSet {
 public:
  AxisSet() = default;
  AxisSet(std::nullopt_t) {}
  AxisSet(Axis axis) : axes_(Axes{axis}) {}
  AxisSet(std::optional<Axis> axis) {
    if (axis) axes_ = Axes{*axis};
  }
  template <AxisNumber T>
  AxisSet(T axis) : axes_(Axes{static_cast<int64_t>(axis)}) {}
  AxisSet(std::initializer_list<int64_t> axes) : axes_(Axes(axes)) {}
  AxisSet(const Axes& axes) : axes_(axes) {}

  bool is_all() const { return !axes_.has_value(); }
  const std::optional<Axes>& axes() const { return axes_; }

  // The axes as sorted nonnegative indices, for an array with ndim axes. Throws
  // IndexError when one is out of range, ValueError when one is repeated, both
  // naming `operation`.
  Axes normalized(int ndim, std::string_view operation) const;

 private:
  std::optional<Axes> axes_;
};

// The options of functions that have no keyword but the axis.
//
// The overload that takes the axis alone is always a template without a deduced
// parameter, `template <class = void>`: GCC overlooks the name in {.axis = 2}
// when it compares overloads, and prefers functions to templates.
struct AxisOption {
  NamedFieldsOnly keywords = {};
  Axis axis;
};
// The axis alone, or by name: argmax(a, 0), argmax(a, {.axis = 0}).
struct OptionalAxisOption {
  NamedFieldsOnly keywords = {};
  std::optional<Axis> axis = std::nullopt;
};
// The axes alone, or by name: flip(a, 0), flip(a, {.axis = {0, 1}}).
struct AxisSetOption {
  NamedFieldsOnly keywords = {};
  AxisSet axis = {};
};

namespace array {

[[noreturn]] void throw_two_axes(std::string_view who);
// An axis and further options, sum(a, 0, {.keepdims = true}), as options alone.
// Throws ValueError when the options name an axis, too.
template <class A, class Options>
Options with_axis(std::string_view who, const A& axis, Options options) {
  if (!AxisSet(options.axis).is_all()) throw_two_axes(who);
  options.axis = axis;
  return options;
}

}  // namespace array
}  // namespace catena
