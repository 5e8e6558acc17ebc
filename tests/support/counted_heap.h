#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

// For programs that replace operators new and delete to know how many bytes are
// live: those that were asked for. malloc_usable_size() says 16 more at times,
// where a block's rest would be too small for another.
//
//   void* block = malloc(counted_size(bytes, alignment));
//   void* data = begin_counted(block, bytes, alignment);
//   free(end_counted(data, alignment));
namespace catena::testing {

inline std::atomic<int64_t> counted_bytes = 0;

// In front of the data, with the number of bytes in the end.
inline size_t counted_room(size_t alignment) {
  return std::max<size_t>(alignment, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

// The size of the block that holds so many bytes, a multiple of the alignment.
inline size_t counted_size(size_t bytes, size_t alignment) {
  const size_t room = counted_room(alignment);
  return room + (bytes + room - 1) / room * room;
}

// The data in a block.
inline void* begin_counted(void* block, size_t bytes, size_t alignment) {
  char* const data = static_cast<char*>(block) + counted_room(alignment);
  reinterpret_cast<size_t*>(data)[-1] = bytes;
  counted_bytes += static_cast<int64_t>(bytes);
  return data;
}

// The block that holds data.
inline void* end_counted(void* data, size_t alignment) {
  counted_bytes -= static_cast<int64_t>(static_cast<size_t*>(data)[-1]);
  return static_cast<char*>(data) - counted_room(alignment);
}

}  // namespace catena::testing
