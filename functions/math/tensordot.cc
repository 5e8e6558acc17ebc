#include "catena/functions/math/tensordot.h"

#include <string>

#include "catena/array/core/error.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/axes.h"
#include "catena/functions/math/einsum.h"

namespace catena::functions {

Variable tensordot(const Variable& a, const Variable& b, const Axes& a_axes,
                   const Axes& b_axes) {
  static constexpr std::string_view kNames[] = {"a", "b"};
  const VariableRef inputs[] = {a, b};
  TypeCheck in("tensordot", inputs);
  in.set_names(kNames);
  in.expect_same_dtype();
  if (a_axes.size() != b_axes.size()) {
    raise<ValueError>("tensordot: expected as many axes of a as of b, got ",
                      a_axes, " and ", b_axes);
  }
  expect_axes(in, in[0], a_axes);
  expect_axes(in, in[1], b_axes);
  // A repeated axis.
  AxisSet(a_axes).normalized(a.ndim(), "tensordot");
  AxisSet(b_axes).normalized(b.ndim(), "tensordot");
  // a gets the first letters, b the following ones, except for shared axes.
  std::string letters_of_a;
  std::string letters_of_b;
  for (int i = 0; i < a.ndim(); ++i) {
    letters_of_a.push_back(static_cast<char>('a' + i));
  }
  for (int i = 0; i < b.ndim(); ++i) {
    letters_of_b.push_back(static_cast<char>('a' + kMaxDims + i));
  }
  for (int i = 0; i < a_axes.size(); ++i) {
    const int of_a = normalize_axis(a_axes[i], a.ndim(), "tensordot");
    const int of_b = normalize_axis(b_axes[i], b.ndim(), "tensordot");
    in.expect(in[0].shape(of_a) == in[1].shape(of_b));
    letters_of_b[of_b] = letters_of_a[of_a];
  }
  std::string text = letters_of_a + "," + letters_of_b + "->";
  for (const char c : letters_of_a) {
    if (letters_of_b.find(c) == std::string::npos) text.push_back(c);
  }
  for (const char c : letters_of_b) {
    if (letters_of_a.find(c) == std::string::npos) text.push_back(c);
  }
  return einsum(text, {a, b});
}

Variable tensordot(const Variable& a, const Variable& b, int64_t axes) {
  if (axes < 0) {
    raise<ValueError>("tensordot: expected at least 0 axes, got ", axes);
  }
  static constexpr std::string_view kNames[] = {"a", "b"};
  const VariableRef inputs[] = {a, b};
  TypeCheck in("tensordot", inputs);
  in.set_names(kNames);
  const type_check::Term count = type_check::make_variable(axes, "axes");
  in.expect(in[0].ndim() >= count, in[1].ndim() >= count);
  Axes last;
  Axes first;
  for (int64_t i = 0; i < axes; ++i) {
    last.push_back(a.ndim() - axes + i);
    first.push_back(i);
  }
  return tensordot(a, b, last, first);
}

}  // namespace catena::functions
