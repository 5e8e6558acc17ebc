#include "catena/links/activation/maxout.h"

#include "catena/array/core/error.h"
#include "catena/functions/activation/maxout.h"

namespace catena::links {
namespace {

int64_t linear_size(int64_t out_size, int64_t pool_size) {
  if (out_size <= 0 || pool_size <= 0) {
    raise<ValueError>("Maxout: expected positive sizes, got out_size ",
                      out_size, " and pool_size ", pool_size);
  }
  return out_size * pool_size;
}

}  // namespace

Maxout::Maxout(std::optional<int64_t> in_size, int64_t out_size,
               int64_t pool_size, const MaxoutOptions& options)
    : linear(this, "linear", in_size, linear_size(out_size, pool_size),
             LinearOptions{
                 .nobias = !options.initial_bias,
                 .initialW = options.initialW,
                 .initial_bias = options.initial_bias.value_or(Initializer())}),
      pool_size_(pool_size) {}

Variable Maxout::forward(const Variable& x) {
  return functions::maxout(linear(x), pool_size_);
}

}  // namespace catena::links
