// The kernels of functions that normalize each channel.

#include "catena/functions/normalization/channel_args.h"
#ifdef __CUDACC__
#include "catena/functions/normalization/channel_launcher.cuh"
#else
#include "catena/functions/normalization/channel_loop.h"
#endif

namespace catena::array::CATENA_BACKEND {

template <class... Ts>
constexpr functions::ChannelTables channel_tables(TypeList<Ts...>) {
  functions::ChannelTables tables;
  (tables.moments.set(dtype_of<Ts>, ChannelLoop<Ts>::moments), ...);
  (tables.sums.set(dtype_of<Ts>, ChannelLoop<Ts>::sums), ...);
  (tables.affine.set(dtype_of<Ts>, ChannelLoop<Ts>::affine), ...);
  return tables;
}

extern const functions::ChannelTables kChannelTables =
    channel_tables(FloatTypes());

#ifdef __CUDACC__
extern const bool kChannelTablesInstalled =
    (functions::channel_slot.set_cuda(&kChannelTables), true);
#endif

}  // namespace catena::array::CATENA_BACKEND
