#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/io/load_limits.h"

namespace catena::array {

// Random-access input of known size: an open file, or memory that outlives the
// source. Reading is thread-safe.
class ByteSource {
 public:
  // Opens a regular file. Throws IoError, starting with `operation` and naming
  // the path, when it cannot be opened or exceeds limits.file_bytes.
  static ByteSource open(const std::string& path, std::string_view operation,
                         const LoadLimits& limits);
  // Refers to `bytes`; messages use `name` as the path.
  static ByteSource of_memory(std::span<const char> bytes,
                              std::string_view operation,
                              std::string_view name = "<memory>");

  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&&) = delete;
  ~ByteSource();

  int64_t size() const { return size_; }
  // "load_npy: 'x.npy'": the beginning of error messages about the source.
  const std::string& where() const { return where_; }

  // Fills `to` with the bytes from `offset` on. Throws IoError when the source
  // ends early or cannot be read.
  void read(int64_t offset, std::span<char> to) const;

  // Maps the bytes into memory where the system supports it. They are valid as
  // long as both the pointer and the source exist. The file must not be
  // truncated meanwhile: the system would kill the process (SIGBUS).
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
