#include "catena/autograd/type_check.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/autograd/config.h"

namespace catena {
namespace type_check {
namespace {

bool power(int64_t base, int64_t exponent, int64_t& result) {
  if (exponent < 0) return false;
  result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result)) {
      return false;
    }
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return false;
  }
  return true;
}

}  // namespace

int64_t eval(bool is_number, int64_t value) {
  if (!is_number) {
    raise<ValueError>(
        "eval: expected a number, got another kind of value, an overflow or a "
        "division by 0");
  }
  return value;
}

bool holds(Comparison comparison, int64_t a, int64_t b) {
  switch (comparison) {
    case Comparison::kEq:
      return a == b;
    case Comparison::kNe:
      return a != b;
    case Comparison::kLt:
      return a < b;
    case Comparison::kLe:
      return a <= b;
    case Comparison::kGt:
      return a > b;
    case Comparison::kGe:
      return a >= b;
  }
  return false;
}

bool calculate(char op, int64_t a, int64_t b, int64_t& result) {
  switch (op) {
    case '+':
      return !__builtin_add_overflow(a, b, &result);
    case '-':
      return !__builtin_sub_overflow(a, b, &result);
    case '*':
      return !__builtin_mul_overflow(a, b, &result);
    case '^':
      return power(a, b, result);
    default:
      break;
  }
  if (b == 0 || b == -1) {
    return b == -1 && !__builtin_sub_overflow(
                          int64_t{0}, op == '%' ? int64_t{0} : a, &result);
  }
  const bool rounds_down = a % b != 0 && (a < 0) != (b < 0);
  result = op == '/' ? a / b - rounds_down : a % b + (rounds_down ? b : 0);
  return true;
}

Check compare(const Term& left, const Term& right, Comparison comparison) {
  bool ok = false;
  if (left.kind == Term::Kind::kShape && right.kind == Term::Kind::kShape) {
    const bool same = *left.shape == *right.shape;
    ok = comparison == Comparison::kEq ? same : !same;
  } else {
    ok = left.kind == right.kind && holds(comparison, left.value, right.value);
  }
  return {left, right, comparison, ok};
}

const Array& Input::array() const {
  const std::span<const VariableRef> inputs = owner_->inputs();
  if (static_cast<size_t>(index_) >= inputs.size()) [[unlikely]] {
    owner_->expect(owner_->size() > Term(index_));
  }
  return inputs[index_]->data();
}

Term Input::term(Term::Kind kind, Term::Source source, int64_t value) const {
  Term term(value);
  term.kind = kind;
  term.source = source;
  term.input = index_;
  return term;
}

Term Input::ndim() const {
  return term(Term::Kind::kNumber, Term::Source::kNdim, array().ndim());
}

Term Input::shape() const {
  Term result = term(Term::Kind::kShape, Term::Source::kShape, 0);
  result.shape = &array().shape();
  return result;
}

Term Input::shape(int axis) const {
  const int ndim = array().ndim();
  const int position = axis < 0 ? axis + ndim : axis;
  if (position < 0 || position >= ndim) {
    owner_->expect(axis < 0 ? this->ndim() >= Term(-axis)
                            : this->ndim() > Term(axis));
  }
  Term result = term(Term::Kind::kNumber, Term::Source::kExtent,
                     array().shape()[position]);
  result.axis = axis;
  return result;
}

Term Input::dtype() const {
  Dtype dtype = array().dtype();
  if (!owner_->is_of_node_ && config().autocast.is_on() &&
      (dtype == Dtype::kFloat16 || dtype == Dtype::kBFloat16)) {
    dtype = Dtype::kFloat32;
  }
  return term(Term::Kind::kDtype, Term::Source::kDtype,
              static_cast<int64_t>(dtype));
}

Term Input::size() const {
  return term(Term::Kind::kNumber, Term::Source::kSize, array().size());
}

namespace {

constexpr std::string_view kWanted[] = {" == ", " != ", " < ",
                                        " <= ", " > ",  " >= "};
// The negation of a comparison.
constexpr std::string_view kGot[] = {
    " != ", " == ", " >= ", " > ", " <= ", " < "};

}  // namespace
}  // namespace type_check

using type_check::Comparison;
using type_check::Input;
using type_check::Term;

Term TypeCheck::size() const {
  Term term(static_cast<int64_t>(inputs_.size()));
  term.source = Term::Source::kCount;
  return term;
}

void TypeCheck::set_names(const std::string_view* names, int count,
                          int required) {
  const Term size = this->size();
  if (required == count) {
    expect(size == Term(count));
  } else {
    expect(size >= Term(required), size <= Term(count));
  }
  named_ = std::min<int>(count, names_.size());
  for (int i = 0; i < named_; ++i) {
    names_[i] = {names[i].data(), names[i].size()};
  }
}

std::string TypeCheck::name_of(int input) const {
  if (input < named_) return {names_[input].text, names_[input].size};
  return str("in_types[", input, "]");
}

std::string TypeCheck::text_of(const Term& term) const {
  switch (term.source) {
    case Term::Source::kConstant:
      return value_of(term);
    case Term::Source::kNamed:
      return std::string(term.name);
    case Term::Source::kNdim:
      return name_of(term.input) + ".ndim";
    case Term::Source::kShape:
      return name_of(term.input) + ".shape";
    case Term::Source::kExtent:
      return str(name_of(term.input), ".shape[", term.axis, "]");
    case Term::Source::kDtype:
      return name_of(term.input) + ".dtype";
    case Term::Source::kSize:
      return name_of(term.input) + ".size";
    case Term::Source::kCount:
      return "size(in_types)";
  }
  return {};
}

void TypeCheck::fail(std::string_view expected, std::string_view actual) const {
  std::string inputs;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Array& array = inputs_[i]->data();
    inputs += str(i > 0 ? ", " : "", name_of(static_cast<int>(i)), " ",
                  array.dtype(), " ", array.shape());
  }
  raise<InvalidType>("Invalid operation is performed in: ", function_,
                     " (Forward)\n\nExpect: ", expected, "\nActual: ", actual,
                     "\nInputs: ", inputs);
}

std::string TypeCheck::value_of(const Term& term) {
  switch (term.kind) {
    case Term::Kind::kNumber:
      return std::to_string(term.value);
    case Term::Kind::kDtype:
      return catena::to_string(static_cast<Dtype>(term.value));
    case Term::Kind::kShape:
      return catena::to_string(*term.shape);
  }
  return {};
}

std::string TypeCheck::comparison_text(Comparison comparison,
                                       const std::string& left,
                                       const std::string& right) {
  return str(left, type_check::kWanted[static_cast<int>(comparison)], right);
}

void TypeCheck::fail_comparison(Comparison comparison, const std::string& left,
                                const std::string& right,
                                const std::string& left_value,
                                const std::string& right_value) const {
  const int i = static_cast<int>(comparison);
  fail(comparison_text(comparison, left, right),
       str(left_value, type_check::kGot[i], right_value));
}

void TypeCheck::expect_floating(Input input) const {
  if (!is_floating(input.array().dtype())) {
    fail(name_of(input.index()) + ".dtype is floating",
         dtype_name(input.array().dtype()));
  }
}

void TypeCheck::expect_integral(Input input) const {
  if (!is_integral(input.array().dtype())) {
    const Dtype dtype = input.array().dtype();
    fail(name_of(input.index()) + ".dtype is an integer",
         str(dtype_name(dtype), is_floating(dtype)
                                    ? " (labels and indices are integers: "
                                      "t.astype(Dtype::kInt32))"
                                    : ""));
  }
}

void TypeCheck::expect_same_dtype() const {
  for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) {
    if (i == 0) {
      expect_floating((*this)[i]);
    } else {
      expect((*this)[0].dtype() == (*this)[i].dtype());
    }
  }
}

void TypeCheck::expect_broadcastable() const {
  if (inputs_.empty()) return;
  Shape shape = inputs_[0]->shape();
  for (const VariableRef input : inputs_.subspan(1)) {
    try {
      shape = broadcast_shapes(shape, input->shape(), function_);
    } catch (const ShapeError& error) {
      fail("shapes that broadcast together", error.what());
    }
  }
}

}  // namespace catena
