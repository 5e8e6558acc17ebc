#include "catena/functions/activation/internal/traced_cell.h"

#include "catena/array/kernels/ufunc_ops.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/array/reshape.h"

namespace catena::functions {

void TracedCell::add_gates(const Variable& x, int count, GateOrder order) {
  const int64_t rows = x.shape()[0];
  const int64_t units = x.shape()[1] / count;
  if (order == GateOrder::kBlocked) {
    for (int k = 0; k < count; ++k) {
      add_input(get_item(x, {Slice(), Slice(k * units, (k + 1) * units)}));
    }
    return;
  }
  const Variable gates = reshape(x, {rows, units, count});
  for (int k = 0; k < count; ++k) {
    add_input(get_item(gates, {Slice(), Slice(), k}));
  }
}

void TracedCell::out(int k, const Traced& value) {
  if (static_cast<size_t>(k) >= outputs_.size()) outputs_.resize(k + 1);
  outputs_[k] = value.variable();
}

Variable TracedCell::joined(int k, int count, GateOrder order) const {
  const std::span<const Variable> gates(outputs_.data() + k, count);
  if (order == GateOrder::kBlocked) return concat(gates, {.axis = 1});
  const int64_t rows = gates[0].shape()[0];
  const int64_t units = gates[0].shape()[1];
  std::vector<Variable> apart;
  for (const Variable& gate : gates) {
    apart.push_back(reshape(gate, {rows, units, 1}));
  }
  return reshape(concat(apart, {.axis = 2}), {rows, units * count});
}

Traced recorded_sigmoid(const Traced& x) {
  if (x.is_number()) return Traced(array::SigmoidOp()(x.number()));
  return Traced(sigmoid(x.variable()));
}

}  // namespace catena::functions
