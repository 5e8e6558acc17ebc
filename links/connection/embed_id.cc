#include "catena/links/connection/embed_id.h"

#include "catena/functions/connection/embed_id.h"
#include "catena/links/connection/positive_sizes.h"

namespace catena::links {

EmbedID::EmbedID(int64_t in_size, int64_t out_size,
                 const EmbedIDOptions& options)
    : W(this, "W", options.initialW,
        Shape{check_positive("EmbedID", "in_size", in_size),
              check_positive("EmbedID", "out_size", out_size)}),
      ignore_label(options.ignore_label) {}

Variable EmbedID::forward(const Variable& x) const {
  return functions::embed_id(x, W, {.ignore_label = ignore_label});
}

}  // namespace catena::links
