#include "catena/functions/internal/given_or_drawn.h"

#include "catena/array/core/error.h"

namespace catena::functions {

void expect_like(const TypeCheck& in, const NamedArray& given,
                 std::string_view name_of_x, const Array& x) {
  const Array& array = given.array;
  if (array.shape() == x.shape() && array.dtype() == x.dtype() &&
      array.device() == x.device()) {
    return;
  }
  in.fail(str(given.name, " has the shape, dtype and device of ", name_of_x),
          str(given.name, " ", array.dtype(), " ", array.shape(), " on ",
              array.device()));
}

void expect_same_shape(std::string_view function, const NamedVariable& x,
                       const NamedVariable& y) {
  const VariableRef inputs[] = {x.variable, y.variable};
  TypeCheck in(function, inputs);
  const std::string_view names[] = {x.name, y.name};
  in.set_names(names);
  in.expect(in[0].dtype() == in[1].dtype(), in[0].shape() == in[1].shape());
}

Array given_or_drawn(
    std::string_view function, const NamedVariable& x, const NamedArray& given,
    Array* returned,
    absl::FunctionRef<Array(array::random::Generator& generator)> draw) {
  const VariableRef inputs[] = {x.variable};
  TypeCheck in(function, inputs);
  in.set_names(std::span(&x.name, 1));
  in.expect_floating(in[0]);
  Array result = given.array;
  if (result.defined()) {
    expect_like(in, given, x.name, x.variable.data());
  } else {
    result = draw(array::random::generator(x.variable.device()));
  }
  if (returned != nullptr) *returned = result;
  return result;
}

}  // namespace catena::functions
