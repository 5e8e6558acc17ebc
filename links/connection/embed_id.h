#pragma once

#include <cstdint>
#include <optional>

#include "catena/links/call_link.h"
#include "catena/links/initializers/initializers.h"
#include "catena/links/link.h"

namespace catena::links {

struct EmbedIDOptions {
  NamedFieldsOnly keywords = {};
  Initializer initialW = initializers::Normal(1.0);
  // Elements of x equal to this label give zeros and no gradient.
  std::optional<int64_t> ignore_label = std::nullopt;
};

// Embeds integer ids as learned vectors, y[i...] = W[x[i...]]
// (functions::embed_id).
class EmbedID : public Callable<EmbedID> {
 public:
  using Options = EmbedIDOptions;

  // Throws ValueError when a size is not positive.
  EmbedID(int64_t in_size, int64_t out_size,
          const EmbedIDOptions& options = {});

  // x is (B...), integers from 0 to in_size - 1; y is (B..., out_size). Throws
  // ValueError for any other value.
  Variable forward(const Variable& x) const;

  Param W;  // (in_size, out_size)
  std::optional<int64_t> ignore_label;
};

}  // namespace catena::links
