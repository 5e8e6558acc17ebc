#include "catena/links/connection/recurrent_state.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"

namespace catena::links {

Variable state_on(const Variable& state, Device device) {
  if (!state.defined() || state.device() == device) return state;
  return Variable(state.data().to_device(device));
}

Variable state_or_zeros(const Variable& state, const Variable& x,
                        int64_t units) {
  if (state.defined()) return state;
  return as_variable(
      array::zeros({x.shape()[0], units}, x.dtype(), x.device()));
}

void check_batch(std::string_view link, const Variable& x,
                 const Variable& state) {
  if (!state.defined() || x.ndim() == 0) return;
  if (x.shape()[0] > state.shape()[0]) {
    raise<ValueError>(link, ": expected x of at most ", state.shape()[0],
                      " rows, as many as the state has, got ", x.shape(),
                      "; call reset_state() before a new sequence");
  }
}

Variable first_rows(const Variable& state, int64_t rows) {
  if (state.shape()[0] == rows) return state;
  return functions::get_item(state, {Slice(0, rows)});
}

Variable with_rest(const Variable& first, const Variable& state) {
  const int64_t rows = first.shape()[0];
  if (!state.defined() || state.shape()[0] == rows) return first;
  const Variable rest =
      functions::get_item(state, {Slice(rows, state.shape()[0])});
  return functions::concat({first, rest}, {.axis = 0});
}

}  // namespace catena::links
