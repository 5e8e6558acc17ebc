#include "catena/array/user_kernel/functor_kernels.h"

#include "catena/array/cpu/elementwise_rows.h"
#include "catena/array/user_kernel/functor_call.h"

namespace catena::array::internal {
void check_native(Device device, std::string_view operation) {
  if (device.is_native()) return;
  raise<NotImplementedError>(operation, ": no kernel of this functor for ",
                             device,
                             "; include cuda/functor_kernels.cuh in a file "
                             "compiled by nvcc, or use ElementwiseKernel");
}

FunctorCall settle_functor_call(std::span<const Operand> args,
                                std::span<const Dtype> dtypes,
                                std::string_view operation) {
  if (args.size() != dtypes.size()) {
    raise<ValueError>(operation, ": expected ", dtypes.size(),
                      " arguments, as many as the functor takes, got ",
                      args.size());
  }
  FunctorCall call;
  std::vector<const Array*> arrays;
  for (size_t k = 0; k < args.size(); ++k) {
    if (!args[k].is_array()) {
      call.operands.emplace_back(args[k].scalar(), dtypes[k],
                                 str(operation, ": argument ", k));
      continue;
    }
    const Array& a = args[k].array();
    if (a.dtype() != dtypes[k]) {
      raise<DtypeError>(operation, ": expected ", dtypes[k],
                        ", the functor's type, for argument ", k, ", got ",
                        a.dtype());
    }
    call.shape = arrays.empty()
                     ? a.shape()
                     : broadcast_shapes(call.shape, a.shape(), operation);
    arrays.push_back(&a);
    call.operands.emplace_back(a);
  }
  call.device =
      arrays.empty() ? current_device() : common_device(arrays, operation);
  return call;
}

Array run_elementwise_functor(std::span<const Operand> args,
                              const ErasedFunctor& functor) {
  FunctorCall call = settle_functor_call(args, functor.inputs, "elementwise");
  check_native(call.device, "elementwise");
  const Array out = empty(call.shape, functor.output, call.device);
  call.operands.push_back(KernelOperand(out));
  const auto ninputs = static_cast<int8_t>(args.size());
  kernels::ElementwiseRow row = {
      functor.run,       static_cast<int8_t>(ninputs + 1),
      ninputs,
      /*updates=*/false,
      /*streams=*/false,
      /*copies=*/false,  {}};
  for (int8_t k = 0; k < ninputs; ++k) {
    row.item_sizes[k] =
        static_cast<int8_t>(item_size(functor.inputs[static_cast<size_t>(k)]));
  }
  row.item_sizes[ninputs] = static_cast<int8_t>(item_size(functor.output));
  ElementwiseArgs plan;
  plan_elementwise(call.operands, functor.functor, plan);
  if (plan.size > 0) kernels::run_elementwise_rows(plan, row);
  return out;
}

FunctorReduction settle_functor_reduction(const Array& x, Dtype dtype,
                                          const AxisSet& axis, bool keepdims) {
  if (x.dtype() != dtype) {
    raise<DtypeError>("reduce: expected ", dtype,
                      ", the functor's type, for x, got ", x.dtype());
  }
  FunctorReduction plan;
  plan.axes = axis.normalized(x.ndim(), "reduce");
  check_native(x.device(), "reduce");
  for (int i = 0; i < x.ndim(); ++i) {
    if (!plan.axes.contains(i)) {
      plan.shape.push_back(x.shape()[i]);
    } else if (keepdims) {
      plan.shape.push_back(1);
    }
  }
  return plan;
}

}  // namespace catena::array::internal
