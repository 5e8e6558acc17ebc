#pragma once

#include <cstdint>
#include <optional>

#include "catena/dataset/dataset_mixin.h"

namespace catena::datasets {

struct TokenDatasetOptions {
  NamedFieldsOnly keywords = {};
  // From the begin of a window to that of the next.
  int64_t stride = 1;
};

// Windows of a text for a model that predicts the next token: an example is
// (x, t), x being tokens i stride to i stride + length - 1 and t those one
// further.
class TokenDataset final : public dataset::DatasetMixin {
 public:
  // `tokens` is (N,), integers, on the CPU; it is shared, not copied. There are
  // as many windows as fit, with their next tokens, none if N is not above
  // `length`. Throws ShapeError or DtypeError for another array, DeviceError
  // when it is not on the CPU, ValueError unless length and stride are
  // positive.
  TokenDataset(const Array& tokens, int64_t length,
               const TokenDatasetOptions& options = {});

  int64_t size() const override { return size_; }
  dataset::Example get_example(int64_t i) const override;
  std::optional<dataset::Example> gather(const Array& indices) const override;

 private:
  Array tokens_;
  int64_t length_;
  int64_t stride_;
  int64_t size_;
};

}  // namespace catena::datasets
