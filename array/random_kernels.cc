// The kernels of every distribution.

#include "catena/array/random_kernel.h"
#ifdef __CUDACC__
#include "catena/cuda/random_launcher.cuh"
#else
#include "catena/array/cpu/random_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {
namespace {

template <class Op, class... Ts>
constexpr RandomTable table_of(TypeList<Ts...>) {
  RandomTable table;
  (table.set(dtype_of<Ts>, RandomLoop<Op, Ts>::run), ...);
  return table;
}

}  // namespace

template <class Op>
const RandomTable RandomKernels<Op>::table =
    table_of<Op>(typename RandomTypes<Op>::Types());

// Instantiates the tables; who uses a distribution refers to its table alone.
// On CUDA it installs them too.
template <class... Ops>
constexpr auto tables_of(TypeList<Ops...>) {
#ifdef __CUDACC__
  (random_slot<Ops>.set_cuda(&RandomKernels<Ops>::table), ...);
#endif
  return std::array{&RandomKernels<Ops>::table...};
}
extern const std::array kRandomTables = tables_of(Distributions());

}  // namespace catena::array::CATENA_BACKEND
