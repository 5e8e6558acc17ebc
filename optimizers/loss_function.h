#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/autograd/variable.h"
#include "catena/links/call_link.h"

namespace catena {

// The variables of a minibatch, field by field: the arguments of a loss
// function. A field is one variable or, for examples of different shapes, a
// list of variables, one for each example.
class LossInputs {
 public:
  using Names = std::shared_ptr<const std::vector<std::string>>;

  // Fields are added one by one; names, one for each, are for error messages.
  explicit LossInputs(Names names = nullptr) : names_(std::move(names)) {}
  // Fields that are one variable each.
  LossInputs(std::vector<Variable> variables)
      : variables_(std::move(variables)) {}
  LossInputs(std::span<const Variable> variables)
      : variables_(variables.begin(), variables.end()) {}

  void reserve(size_t fields) { variables_.reserve(fields); }
  // Adds a field.
  void add(Variable variable);
  void add(std::vector<Variable> list);

  size_t size() const { return variables_.size(); }
  // Whether a field is a list of variables. Throws IndexError when there is no
  // such field.
  bool is_list(size_t field) const {
    return field < lists_.size() && lists_[field].has_value();
  }
  // A field that is one variable, and one that is a list. Throws IndexError
  // when there is no such field, ValueError when it is of the other form.
  const Variable& operator[](size_t field) const&;
  Variable operator[](size_t field) && { return std::as_const(*this)[field]; }
  const std::vector<Variable>& list(size_t field) const&;
  std::vector<Variable> list(size_t field) && {
    return std::as_const(*this).list(field);
  }

  // All fields, for functions that take none as a list. Throws ValueError when
  // one is.
  operator std::span<const Variable>() const;

 private:
  void check(size_t field, bool as_list) const;

  std::vector<Variable> variables_;  // undefined where a field is a list
  std::vector<std::optional<std::vector<Variable>>> lists_;  // may be shorter
  Names names_;
};

// Computes a loss from the variables of a minibatch. Functions of
// std::span<const Variable> convert to it, too.
using LossFunction = std::function<Variable(const LossInputs&)>;

// Wraps any callable or link that takes one to four fields as a LossFunction:
// as const Variable& or, for lists, as const std::vector<Variable>& or
// std::span<const Variable>. If it can be called with one variable for each
// field, it gets no lists. Calling it throws ValueError for a wrong number of
// fields, and for a list where it takes a variable or the other way round.
template <class F>
LossFunction loss_function_of(F& f);

namespace internal {

// Why a target is no loss function of `count` variables: `what` follows "the
// target".
[[noreturn]] void throw_no_loss(size_t count, std::string_view what);

template <bool is_list>
const auto& loss_argument(const LossInputs& inputs, size_t field) {
  if constexpr (is_list) {
    return inputs.list(field);
  } else {
    return inputs[field];
  }
}
template <bool is_list>
using LossArgument =
    std::conditional_t<is_list, const std::vector<Variable>&, const Variable&>;

// In a form, bit i says whether argument i is a list.
constexpr bool takes_list(uint32_t form, size_t i) {
  return ((form >> i) & 1) != 0;
}

// Whether a loss can be computed with arguments of this form.
template <class F, uint32_t form, size_t... i>
consteval bool takes_form(std::index_sequence<i...>) {
  if constexpr (CallableLink<F, LossArgument<takes_list(form, i)>...>) {
    return std::convertible_to<
        decltype(call_link(
            std::declval<F&>(),
            std::declval<LossArgument<takes_list(form, i)>>()...)),
        Variable>;
  } else {
    return false;
  }
}

// The first form that F takes, or 1 << count. The search ends there, since
// trying other forms could fail to compile inside of a generic lambda.
template <class F, size_t count, uint32_t form = 0>
consteval uint32_t form_of() {
  if constexpr (form == 1u << count) {
    return form;
  } else if constexpr (takes_form<F, form>(std::make_index_sequence<count>())) {
    return form;
  } else {
    return form_of<F, count, form + 1>();
  }
}

// Whether F could be called with variables that it may change.
template <class F, size_t... i>
consteval bool takes_references(std::index_sequence<i...>) {
  return CallableLink<
      F, std::conditional_t<true, Variable&, std::index_sequence<i>>...>;
}
// Whether it can be called, so that only the result is no loss.
template <class F, size_t... i>
consteval bool takes_variables(std::index_sequence<i...>) {
  return CallableLink<F, LossArgument<takes_list(0, i)>...>;
}

template <class F, size_t... i>
Variable call_loss(F& f, const LossInputs& inputs,
                   std::index_sequence<i...> indices) {
  constexpr uint32_t form = form_of<F, sizeof...(i)>();
  if constexpr (form == 1u << sizeof...(i)) {
    if constexpr (takes_variables<F>(indices)) {
      throw_no_loss(sizeof...(i),
                    "returns no Variable: expected one, the loss; for a pair "
                    "or a struct, give the updater a loss_func that computes "
                    "the loss from it");
    } else if constexpr (takes_references<F>(indices)) {
      throw_no_loss(sizeof...(i),
                    "takes a reference that it could change: write `const "
                    "Variable&` instead of `Variable&`");
    } else {
      throw_no_loss(sizeof...(i), "");
    }
  } else {
    return call_link(f, loss_argument<takes_list(form, i)>(inputs, i)...);
  }
}

}  // namespace internal

template <class F>
LossFunction loss_function_of(F& f) {
  static_assert(internal::CheckForward<F>());
  return [&f](const LossInputs& inputs) -> Variable {
    switch (inputs.size()) {
      case 1:
        return internal::call_loss(f, inputs, std::make_index_sequence<1>());
      case 2:
        return internal::call_loss(f, inputs, std::make_index_sequence<2>());
      case 3:
        return internal::call_loss(f, inputs, std::make_index_sequence<3>());
      case 4:
        return internal::call_loss(f, inputs, std::make_index_sequence<4>());
      default:
        internal::throw_no_loss(inputs.size(), "");
    }
  };
}

}  // namespace catena
