#pragma once

#include <cstdint>
#include <span>

#include "catena/array/array.h"
#include "catena/array/core/device.h"

namespace catena::functions {

struct KeyValueCacheOptions {
  NamedFieldsOnly keywords = {};
  int64_t batch = 1;
  int64_t heads = 1;        // of keys and values
  int64_t size = 1;         // of a key and of a value
  int64_t capacity = 1024;  // keys of a head
  Dtype dtype = Dtype::kFloat32;
};

// The keys and values of what a layer has seen so far, so that each step
// computes those of new tokens alone. A value: a copy has arrays of its own.
// Memory for the whole capacity is taken at once, on the current device.
class KeyValueCache {
 public:
  // Throws ValueError unless sizes are at least 0, OutOfMemoryError.
  explicit KeyValueCache(const KeyValueCacheOptions& options);
  KeyValueCache(const KeyValueCache& other);
  KeyValueCache& operator=(const KeyValueCache& other);
  KeyValueCache(KeyValueCache&&) = default;
  KeyValueCache& operator=(KeyValueCache&&) = default;
  ~KeyValueCache() = default;

  // Adds keys and values (batch, heads, T, size). Throws ShapeError or
  // DtypeError when they do not match, ValueError when there is no room for T
  // more; then nothing is added.
  void append(const Array& keys, const Array& values);
  // Those so far: views (batch, heads, length(), size), which later calls of
  // append() leave as they are.
  Array keys() const;
  Array values() const;

  int64_t length() const { return length_; }
  int64_t capacity() const { return keys_.shape()[2]; }
  // Forgets all but the first `length`. Throws ValueError unless there are as
  // many.
  void cut(int64_t length);
  // A cache of the items with these numbers, each as often as it is named, of
  // the same capacity: for texts that go on from some of these. Throws
  // IndexError unless they are from 0 to below the batch.
  KeyValueCache select(std::span<const int64_t> items) const;

 private:
  void check(const char* name, const Array& added) const;

  Array keys_;
  Array values_;
  int64_t length_ = 0;
};

}  // namespace catena::functions
