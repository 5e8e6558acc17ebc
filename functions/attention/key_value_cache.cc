#include "catena/functions/attention/key_value_cache.h"

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/autograd/autocast.h"

namespace catena::functions {

KeyValueCache::KeyValueCache(const KeyValueCacheOptions& options) {
  const auto& [keywords, batch, heads, size, capacity, dtype] = options;
  const Shape shape{batch, heads, capacity, size};
  for (const int64_t extent : shape) {
    if (extent < 0) {
      raise<ValueError>(
          "KeyValueCache: expected batch, heads, capacity and size of at least "
          "0, got ",
          shape);
    }
  }
  keys_ = array::empty(shape, dtype);
  values_ = array::empty_like(keys_);
}

KeyValueCache::KeyValueCache(const KeyValueCache& other)
    : keys_(other.keys_.copy()),
      values_(other.values_.copy()),
      length_(other.length_) {}

KeyValueCache& KeyValueCache::operator=(const KeyValueCache& other) {
  return *this = KeyValueCache(other);
}

void KeyValueCache::check(const char* name, const Array& added) const {
  const Shape& whole = keys_.shape();
  const bool fits = added.ndim() == 4 && added.shape()[0] == whole[0] &&
                    added.shape()[1] == whole[1] &&
                    added.shape()[3] == whole[3];
  if (!fits) {
    raise<ShapeError>("KeyValueCache: expected ", name, " (", whole[0], ", ",
                      whole[1], ", T, ", whole[3], "), got ", added.shape());
  }
  const bool is_cast = internal::is_autocast(added.dtype(), keys_.dtype());
  if (added.dtype() != keys_.dtype() && !is_cast) {
    raise<DtypeError>("KeyValueCache: expected ", name, " of ", keys_.dtype(),
                      ", got ", added.dtype());
  }
}

void KeyValueCache::append(const Array& keys, const Array& values) {
  check("keys", keys);
  check("values", values);
  const int64_t count = keys.shape()[2];
  if (values.shape()[2] != count) {
    raise<ShapeError>("KeyValueCache: expected as many values as keys, ", count,
                      ", got ", values.shape()[2]);
  }
  if (count > capacity() - length_) {
    raise<ValueError>("KeyValueCache: expected at most ", capacity() - length_,
                      " more keys, since ", length_, " of ", capacity(),
                      " are there, got ", count);
  }
  const Slice added(length_, length_ + count);
  Array(keys_[{Slice(), Slice(), added}]).assign(keys);
  Array(values_[{Slice(), Slice(), added}]).assign(values);
  length_ += count;
}

Array KeyValueCache::keys() const {
  return keys_[{Slice(), Slice(), Slice(0, length_)}];
}
Array KeyValueCache::values() const {
  return values_[{Slice(), Slice(), Slice(0, length_)}];
}

void KeyValueCache::cut(int64_t length) {
  if (length < 0 || length > length_) {
    raise<ValueError>("KeyValueCache: expected to keep 0 to ", length_,
                      " keys, got ", length);
  }
  length_ = length;
}

KeyValueCache KeyValueCache::select(std::span<const int64_t> items) const {
  const Shape& shape = keys_.shape();
  for (const int64_t item : items) {
    if (item < 0 || item >= shape[0]) {
      raise<IndexError>("KeyValueCache: expected items from 0 to ",
                        shape[0] - 1, ", got ", item);
    }
  }
  const DeviceScope scope(keys_.device());
  KeyValueCache result({.batch = std::ssize(items),
                        .heads = shape[1],
                        .size = shape[3],
                        .capacity = shape[2],
                        .dtype = keys_.dtype()});
  result.length_ = length_;
  const Array keys = result.keys();
  const Array values = result.values();
  for (int64_t i = 0; i < std::ssize(items); ++i) {
    Array(keys[i]).assign(this->keys()[items[static_cast<size_t>(i)]]);
    Array(values[i]).assign(this->values()[items[static_cast<size_t>(i)]]);
  }
  return result;
}

}  // namespace catena::functions
