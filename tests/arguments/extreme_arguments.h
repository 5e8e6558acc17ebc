#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/shape.h"
#include "catena/array/index.h"
#include "catena/autograd/variable.h"

// Calls functions with integers that are never meant, and expects a result or
// an Error each time: no other exception, no access out of bounds, no undefined
// behaviour, which the sanitizers see, and no memory without end.
namespace catena::testing {

// Those that the public functions get. 2^31 - 1 and 2^62 pass where the next
// one is refused, and overflow when something is added or multiplied.
inline constexpr std::array<int64_t, 7> kExtremes = {-1,
                                                     0,
                                                     (int64_t{1} << 31) - 1,
                                                     int64_t{1} << 31,
                                                     int64_t{1} << 62,
                                                     INT64_MAX,
                                                     INT64_MIN};

// Reads what a function returned, so that a view of foreign memory is noticed.
void touch(const Array& a);
// And differentiates it.
void touch(const Variable& y);
// Numbers, strings, links and the like have no more to them.
template <class T>
void touch(const T&) {}
template <class T>
void touch(const std::vector<T>& values) {
  for (const T& value : values) touch(value);
}
template <class... T>
void touch(const std::tuple<T...>& values) {
  std::apply([](const T&... value) { (touch(value), ...); }, values);
}
template <class T, class U>
void touch(const std::pair<T, U>& values) {
  touch(values.first);
  touch(values.second);
}

namespace internal {

// Calls `body`, and fails unless it returns or throws an Error.
void attempt(const std::string& arguments, const std::function<void()>& body);

// The extremes as shapes (or axes, strides, lists of sizes), slices and arrays
// of indices; and their texts.
const std::vector<Shape>& extreme_shapes();
const std::vector<Slice>& extreme_slices();
const std::vector<Array>& extreme_indices();
std::string text_of(const Slice& slice);
std::string text_of(const Array& indices);

template <class Call, class Value>
void call_and_touch(Call& call, const Value& value) {
  if constexpr (std::is_void_v<std::invoke_result_t<Call&, const Value&>>) {
    call(value);
  } else {
    touch(call(value));
  }
}

template <class Call>
void call_with_extremes(Call& call) {
  if constexpr (std::invocable<Call&, const int64_t&>) {
    for (const int64_t value : kExtremes) {
      attempt(std::to_string(value), [&] { call_and_touch(call, value); });
    }
  } else if constexpr (std::invocable<Call&, const Shape&>) {
    for (const Shape& value : extreme_shapes()) {
      attempt(to_string(value), [&] { call_and_touch(call, value); });
    }
  } else if constexpr (std::invocable<Call&, const Slice&>) {
    for (const Slice& value : extreme_slices()) {
      attempt(text_of(value), [&] { call_and_touch(call, value); });
    }
  } else {
    // Three indices, int32 or int64.
    static_assert(std::invocable<Call&, const Array&>);
    for (const Array& value : extreme_indices()) {
      attempt(text_of(value), [&] { call_and_touch(call, value.copy()); });
    }
  }
}

}  // namespace internal

// An argument of a public function, and a call that takes an extreme for it: an
// integer, a shape, a slice or an array of three indices, as `call` has it.
class ArgumentCase {
 public:
  template <class Call>
  ArgumentCase(std::string function, std::string argument, Call call)
      : function_(std::move(function)),
        argument_(std::move(argument)),
        call_all_([call]() mutable { internal::call_with_extremes(call); }) {}

  // Without the namespace catena.
  const std::string& function() const { return function_; }
  // As the header names it.
  const std::string& argument() const { return argument_; }
  void call_all() const { call_all_(); }

 private:
  std::string function_;
  std::string argument_;
  std::function<void()> call_all_;
};
using ArgumentCases = std::vector<ArgumentCase>;

void expect_results_or_errors(const ArgumentCases& cases);

// Fails for what tests/arguments/integer_arguments.py finds in the public
// headers and neither a case nor tests/arguments/exempt.csv names.
void expect_all_arguments(const ArgumentCases& cases);

}  // namespace catena::testing
