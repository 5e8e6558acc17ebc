#include "catena/functions/array/internal/sequence_check.h"

namespace catena::functions {

void expect_sequences(const TypeCheck& in) {
  in.expect(in.size() > type_check::Term(0));
  in.expect(in[0].ndim() > type_check::Term(0));
  const int ndim = in[0].array().ndim();
  for (int i = 1; i < static_cast<int>(in.inputs().size()); ++i) {
    in.expect(in[0].dtype() == in[i].dtype(), in[0].ndim() == in[i].ndim());
    for (int d = 1; d < ndim; ++d) in.expect(in[0].shape(d) == in[i].shape(d));
  }
}

}  // namespace catena::functions
