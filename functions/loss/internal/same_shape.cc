#include "catena/functions/loss/internal/same_shape.h"

#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"

namespace catena::functions {

void check_same_shape(std::string_view function,
                      std::initializer_list<VariableRef> inputs,
                      std::span<const std::string_view> names, int ndim) {
  if (!config().type_check) return;
  TypeCheck in(function, std::span(inputs.begin(), inputs.size()));
  in.set_names(names);
  for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
    in.expect_floating(in[i]);
    if (i == 0 && ndim >= 0) in.expect(in[0].ndim() == type_check::Term(ndim));
    in.expect(in[0].dtype() == in[i].dtype(), in[0].shape() == in[i].shape());
  }
}

}  // namespace catena::functions
