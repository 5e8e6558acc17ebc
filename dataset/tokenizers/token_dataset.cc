#include "catena/dataset/tokenizers/token_dataset.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/dataset/index_check.h"

namespace catena::datasets {

TokenDataset::TokenDataset(const Array& tokens, int64_t length,
                           const TokenDatasetOptions& options)
    : tokens_(tokens), length_(length), stride_(options.stride), size_(0) {
  if (tokens.ndim() != 1) {
    raise<ShapeError>("TokenDataset: expected tokens with one axis, got shape ",
                      tokens.shape());
  }
  if (!is_integral(tokens.dtype())) {
    raise<DtypeError>("TokenDataset: expected tokens to be integers, got ",
                      tokens.dtype());
  }
  if (!tokens.device().is_native()) {
    raise<DeviceError>("TokenDataset: expected tokens on the CPU, got them on ",
                       tokens.device());
  }
  if (length < 1 || stride_ < 1) {
    raise<ValueError>("TokenDataset: expected positive length and stride, got ",
                      length, " and ", stride_);
  }
  const int64_t count = tokens.shape()[0];
  if (count > length) size_ = (count - length - 1) / stride_ + 1;
}

dataset::Example TokenDataset::get_example(int64_t i) const {
  dataset::check_index("TokenDataset", i, size_);
  const int64_t first = i * stride_;
  return {tokens_[{Slice(first, first + length_)}],
          tokens_[{Slice(first + 1, first + length_ + 1)}]};
}

std::optional<dataset::Example> TokenDataset::gather(
    const Array& indices) const {
  const int64_t count = indices.shape()[0];
  const int64_t* const places = indices.data<int64_t>();
  const Array x =
      array::empty({count, length_}, tokens_.dtype(), tokens_.device());
  const Array t = array::empty_like(x);
  for (int64_t row = 0; row < count; ++row) {
    const dataset::Example example = get_example(places[row]);
    x[row].assign(example[0]);
    t[row].assign(example[1]);
  }
  return dataset::Example{x, t};
}

}  // namespace catena::datasets
