#include "catena/links/connection/highway.h"

#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/math/linear_interpolate.h"

namespace catena::links {

Highway::Highway(int64_t in_out_size, const HighwayOptions& options)
    : plain(this, "plain", in_out_size, in_out_size,
            LinearOptions{.nobias = options.nobias,
                          .initialW = options.init_Wh,
                          .initial_bias = options.init_bh}),
      transform(this, "transform", in_out_size, in_out_size,
                LinearOptions{.nobias = options.nobias,
                              .initialW = options.init_Wt,
                              .initial_bias = options.init_bt}),
      activate_(options.activate) {}

Variable Highway::forward(const Variable& x) {
  const Variable h = activate_(plain(x));
  const Variable t = functions::sigmoid(transform(x));
  return functions::linear_interpolate(t, h, x);
}

}  // namespace catena::links
