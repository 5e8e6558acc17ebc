// Casts from every dtype to every dtype; from a dtype to itself: copies.

#include "catena/array/cast_ops.h"
#include "catena/array/elementwise_kernel.h"
#include "catena/array/kernel_tables.h"

namespace catena::array::CATENA_BACKEND {
namespace {

template <class To, class... From>
constexpr ElementwiseTable casts_to(TypeList<From...>) {
  ElementwiseTable table;
  (table.set(dtype_of<From>,
             ElementwiseLoop<CastOp<To>, TypeList<From>, TypeList<To>>::run),
   ...);
  return table;
}

}  // namespace

template <class Key>
struct CastTarget;
template <class To>
struct CastTarget<CastTo<To>> {
  using type = To;
};

template <class Key>
const ElementwiseTable Kernels<Key>::table =
    casts_to<typename CastTarget<Key>::type>(AllTypes());

template <class... To>
constexpr auto tables_of(TypeList<To...>) {
  return instantiate_kernels<CastTo<To>...>();
}
extern const std::array kCastTables = tables_of(AllTypes());

}  // namespace catena::array::CATENA_BACKEND
