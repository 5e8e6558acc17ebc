#include "catena/functions/array/broadcast.h"

#include "catena/autograd/function_node.h"
#include "catena/functions/array/broadcast_to.h"

namespace catena::functions {

Variables broadcast(std::span<const Variable> args) {
  const auto inputs = refs_of(args);
  TypeCheck in("broadcast", inputs);
  in.expect(in.size() > type_check::Term(0));
  in.expect_broadcastable();
  Shape shape;
  for (const Variable& x : args) {
    shape = broadcast_shapes(shape, x.shape(), "broadcast");
  }
  Variables results;
  for (const Variable& x : args) results.push_back(broadcast_to(x, shape));
  return results;
}

}  // namespace catena::functions
