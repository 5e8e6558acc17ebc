#pragma once

#include "cub/device/sort_keys.h"

namespace cub {

struct DeviceRadixSort {
  template <class Key, class N>
  static cudaError_t SortKeys(void* storage, size_t& storage_bytes,
                              const Key* keys_in, Key* keys_out, N size,
                              int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                              cudaStream_t stream = nullptr) {
    return SortPairs<Key, char, N>(storage, storage_bytes, keys_in, keys_out,
                                   nullptr, nullptr, size, begin_bit, end_bit,
                                   stream);
  }

  template <class Key, class Value, class N>
  static cudaError_t SortPairs(void* storage, size_t& storage_bytes,
                               const Key* keys_in, Key* keys_out,
                               const Value* values_in, Value* values_out,
                               N size, int begin_bit = 0,
                               int end_bit = 8 * sizeof(Key),
                               cudaStream_t stream = nullptr) {
    const emulation::SortArguments<Key, Value> arguments{
        keys_in, keys_out, values_in, values_out, begin_bit, end_bit};
    const auto count = static_cast<int64_t>(size);
    return emulation::run_with_storage(storage, storage_bytes,
                                       arguments.are_valid(count), stream,
                                       [=] { arguments.sort(0, count); });
  }
};

}  // namespace cub
