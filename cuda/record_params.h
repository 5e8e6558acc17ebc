#pragma once

#include <cstddef>
#include <type_traits>

#include "catena/array/core/work_record.h"

// The parameters of kernels in the record of this thread's work. Padding does
// not count, and all addresses of memory that the device can use count alike,
// since arrays move from step to step. The rest must be initialized, also what
// the kernel does not read.
namespace catena::cuda {

// Whether parameters of a type count. Not if they are meant to change.
template <class T>
inline constexpr bool kIsRecorded = !std::is_empty_v<T>;

// Adds bytes that start at an address aligned to 8, without padding.
void record_bytes(WorkRecord& record, const void* data, size_t bytes);

template <class T>
void record_param(WorkRecord& record, const T& param) {
  static_assert(std::is_trivially_copyable_v<T>,
                "a parameter travels to the device byte by byte");
  if constexpr (kIsRecorded<T>) {
    struct alignas(8) {
      T value;
    } copy = {param};
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&copy.value);
    record_bytes(record, &copy, sizeof(T));
#else
    // Clang before 20: what may have padding cannot be compared.
    if constexpr (std::is_scalar_v<T> ||
                  std::has_unique_object_representations_v<T>) {
      record_bytes(record, &copy, sizeof(T));
    }
#endif
  }
}

// For launch(), and for what else the host passes to the device, such as the
// factors of a library's function. Does nothing without a record.
template <class... T>
void record_params(const T&... params) {
  if (WorkRecord* const record = current_work_record()) {
    (record_param(*record, params), ...);
  }
}

}  // namespace catena::cuda
