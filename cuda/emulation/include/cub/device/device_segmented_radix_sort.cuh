#pragma once

#include "cub/device/sort_keys.h"

namespace cub {

// Sorts each of `segments` parts [begins[i], ends[i]); what is in none is not
// written.
struct DeviceSegmentedRadixSort {
  template <class Key, class N, class M, class Begins, class Ends>
  static cudaError_t SortKeys(void* storage, size_t& storage_bytes,
                              const Key* keys_in, Key* keys_out, N size,
                              M segments, Begins begins, Ends ends,
                              int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                              cudaStream_t stream = nullptr) {
    return SortPairs<Key, char, N, M, Begins, Ends>(
        storage, storage_bytes, keys_in, keys_out, nullptr, nullptr, size,
        segments, begins, ends, begin_bit, end_bit, stream);
  }

  template <class Key, class Value, class N, class M, class Begins, class Ends>
  static cudaError_t SortPairs(void* storage, size_t& storage_bytes,
                               const Key* keys_in, Key* keys_out,
                               const Value* values_in, Value* values_out,
                               N size, M segments, Begins begins, Ends ends,
                               int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                               cudaStream_t stream = nullptr) {
    const emulation::SortArguments<Key, Value> arguments{
        keys_in, keys_out, values_in, values_out, begin_bit, end_bit};
    const bool valid =
        arguments.are_valid(static_cast<int64_t>(size)) && segments >= 0;
    return emulation::run_with_storage(
        storage, storage_bytes, valid, stream, [=] {
          for (M i = 0; i < segments; ++i) {
            arguments.sort(static_cast<int64_t>(begins[i]),
                           static_cast<int64_t>(ends[i]));
          }
        });
  }
};

}  // namespace cub
