#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/array.h"
#include "catena/autograd/type_check_terms.h"
#include "catena/autograd/variable.h"

namespace catena {

// Type checks of functions: comparisons of shapes, dtypes and axis counts,
// which report both sides when they fail:
//
//   void check_type_forward(TypeCheck& in) const override {
//     const auto [x, W] = in.names<2>({"x", "W"});
//     in.expect_floating(x);
//     in.expect(x.ndim() == 2, W.ndim() == 2, x.shape(1) == W.shape(1));
//   }
//
//   Invalid operation is performed in: linear (Forward)
//
//   Expect: x.shape[1] == W.shape[1]
//   Actual: 784 != 100
//   Inputs: x float32 (32, 784), W float32 (10, 100)
//
// A check that passes builds no string and allocates nothing. In autocast mode,
// in a check before the node exists, all floating dtypes that casts make equal
// are float32.
class TypeCheck;

namespace type_check {

// One input.
class Input {
 public:
  Input() = default;
  Input(const TypeCheck* owner, int index) : owner_(owner), index_(index) {}

  Term ndim() const;
  Term shape() const;
  // The extent of an axis, counted from the end when negative. If there is no
  // such axis, throws like a failed check.
  Term shape(int axis) const;
  Term dtype() const;
  Term size() const;
  int index() const { return index_; }
  const Array& array() const;

 private:
  Term term(Term::Kind kind, Term::Source source, int64_t value) const;

  const TypeCheck* owner_ = nullptr;
  int index_ = 0;
};

}  // namespace type_check

// The inputs of a function, for the expectations of its check_type_forward.
class TypeCheck {
 public:
  TypeCheck(std::string_view function, std::span<const VariableRef> inputs)
      : function_(function), inputs_(inputs) {}

  // The number of inputs.
  type_check::Term size() const;
  // Using a missing input throws like a failed check.
  type_check::Input operator[](int index) const { return {this, index}; }

  // Names the inputs, whose default names are in_types[0], in_types[1], ...,
  // and throws unless there are at least `required` and at most n of them. The
  // names must outlive this object; use literals.
  template <int n>
  std::array<type_check::Input, n> names(const std::string_view (&names)[n],
                                         int required = n) {
    set_names(names, n, required);
    std::array<type_check::Input, n> inputs;
    for (int i = 0; i < n; ++i) inputs[i] = {this, i};
    return inputs;
  }

  // names() for any number of names.
  void set_names(std::span<const std::string_view> names) {
    set_names(names.data(), static_cast<int>(names.size()),
              static_cast<int>(names.size()));
  }

  // Throws at the first comparison that does not hold.
  template <class... Checks>
  void expect(const Checks&... checks) const {
    (expect_one(checks), ...);
  }
  void expect_floating(type_check::Input input) const;
  void expect_integral(type_check::Input input) const;
  // Checks that all inputs have the same floating dtype.
  void expect_same_dtype() const;
  // Checks that the shapes broadcast together.
  void expect_broadcastable() const;

  // Throws with the caller's text, for conditions that comparisons cannot
  // express.
  [[noreturn]] void fail(std::string_view expected,
                         std::string_view actual) const;

  // A comparison or an expression as messages write it, with the names of the
  // inputs: in.to_string(x.shape(1) == 4) is "x.shape[1] == 4".
  template <class Left, class Right>
  std::string to_string(
      const type_check::BasicCheck<Left, Right>& check) const {
    return comparison_text(check.comparison, text_of(check.left),
                           text_of(check.right));
  }
  template <class Expression>
  requires type_check::Operand<Expression> std::string to_string(
      const Expression& expression)
  const { return text_of(type_check::AsExpression<Expression>(expression)); }

  std::span<const VariableRef> inputs() const { return inputs_; }

 private:
  friend class FunctionNode;
  friend class type_check::Input;

  template <class Left, class Right>
  void expect_one(const type_check::BasicCheck<Left, Right>& check) const {
    if (!check.ok) [[unlikely]] {
      fail_check(check);
    }
  }
  template <class Left, class Right>
  [[noreturn, gnu::cold]] void fail_check(
      const type_check::BasicCheck<Left, Right>& check) const {
    fail_comparison(check.comparison, text_of(check.left), text_of(check.right),
                    value_of(check.left), value_of(check.right));
  }
  [[noreturn]] void fail_comparison(type_check::Comparison comparison,
                                    const std::string& left,
                                    const std::string& right,
                                    const std::string& left_value,
                                    const std::string& right_value) const;
  static std::string comparison_text(type_check::Comparison comparison,
                                     const std::string& left,
                                     const std::string& right);
  void set_names(const std::string_view* names, int count, int required);
  std::string name_of(int input) const;
  std::string text_of(const type_check::Term& term) const;
  template <class Left, class Right>
  std::string text_of(
      const type_check::Calculation<Left, Right>& calculation) const {
    const int priority = priority_of(calculation.op);
    // Powers group from the right, as in Python.
    const bool is_power = calculation.op == '^';
    std::string left = text_of(calculation.left);
    std::string right = text_of(calculation.right);
    if (priority_of(calculation.left) < priority + is_power) {
      left = "(" + left + ")";
    }
    if (priority_of(calculation.right) < priority + !is_power) {
      right = "(" + right + ")";
    }
    const std::string op = calculation.op == '/' ? "//"
                           : is_power            ? "**"
                                      : std::string(1, calculation.op);
    return left + " " + op + " " + right;
  }
  template <class T>
  std::string text_of(const type_check::Negation<T>& negation) const {
    const std::string operand = text_of(negation.operand);
    return priority_of(negation.operand) < kNegationPriority
               ? "-(" + operand + ")"
               : "-" + operand;
  }
  template <class T>
  std::string text_of(const type_check::Called<T>& call) const {
    return std::string(call.function) + "(" + text_of(call.argument) + ")";
  }
  static std::string value_of(const type_check::Term& term);
  template <class T>
  requires type_check::is_calculation<T>
  static std::string value_of(const T& calculation) {
    return calculation.is_valid ? std::to_string(calculation.value)
                                : "no integer";
  }
  static constexpr int kNegationPriority = 3;
  static int priority_of(char op) {
    return op == '+' || op == '-' ? 1 : op == '^' ? 4 : 2;
  }
  static int priority_of(const type_check::Term&) { return 5; }
  template <class T>
  static int priority_of(const type_check::Called<T>&) {
    return 5;
  }
  template <class T>
  static int priority_of(const type_check::Negation<T>&) {
    return kNegationPriority;
  }
  template <class Left, class Right>
  static int priority_of(
      const type_check::Calculation<Left, Right>& calculation) {
    return priority_of(calculation.op);
  }

  std::string_view function_;
  // A string_view without initialization: most checks pass without using names.
  struct Name {
    const char* text;
    size_t size;
  };

  std::span<const VariableRef> inputs_;
  std::array<Name, 8> names_;
  int named_ = 0;
  // Whether the inputs are those that a node gets.
  bool is_of_node_ = false;
};

}  // namespace catena
