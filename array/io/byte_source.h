#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/io/load_limits.h"

namespace catena::array {

// Bytes of known number that can be read at any offset: an open file, or
// memory that outlives the source. Reading is safe from many threads.
class ByteSource {
 public:
  // Opens a regular file. IoError, starting with `operation` and naming the
  // path, when it cannot be opened or exceeds limits.file_bytes.
  static ByteSource open(const std::string& path, std::string_view operation,
                         const LoadLimits& limits);
  // Refers to `bytes`; `name` stands for the path in messages.
  static ByteSource of_memory(std::span<const char> bytes,
                              std::string_view operation,
                              std::string_view name = "<memory>");

  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&&) = delete;
  ~ByteSource();

  int64_t size() const { return size_; }
  // "load_npy: 'x.npy'": how messages about the source begin.
  const std::string& where() const { return where_; }

  // Fills `to` with the bytes from `offset` on. IoError when the source ends
  // before, or cannot be read.
  void read(int64_t offset, std::span<char> to) const;

  // The same bytes where the system can show them without a copy in between.
  // They are there as long as the pointer and the source; in the meantime the
  // file must not become shorter, for that the system ends the process.
  std::shared_ptr<const char> map(int64_t offset, int64_t count) const;

 private:
  void check_range(int64_t offset, int64_t count) const;
  ByteSource(std::string where, int file, const char* memory, int64_t size);

  std::string where_;
  int file_;  // -1 for memory
  const char* memory_;
  int64_t size_;
};

}  // namespace catena::array
