#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/io/byte_sink.h"

namespace catena::array {

// A file that appears under its name complete, or not at all. Bytes go to a
// temporary file of unique name in the same folder; commit() makes them
// durable (fsync), renames the file over the old one and makes the folder
// durable. Without commit() the temporary file is removed and an old file of
// that name stays as it was, also when the process is killed in between (the
// temporary file is then left over; its name ends in ".tmp").
class AtomicFile final : public ByteSink {
 public:
  // IoError, starting with `operation` and naming the path, when the folder is
  // missing or not writable, or the path exists and is no regular file. A
  // symbolic link is followed.
  AtomicFile(const std::string& path, std::string_view operation);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const char> bytes) override;
  void overwrite(int64_t offset, std::span<const char> bytes) override;
  int64_t position() const override { return position_; }
  std::string where() const override { return where_; }
  // For libraries that write files themselves: they may truncate it, and must
  // be done with it before commit().
  const std::string& temporary_path() const { return temporary_; }

  // Call once, after the last write. IoError.
  void commit();

 private:
  void write_at(int64_t offset, std::span<const char> bytes);
  void start_writeback() noexcept;
  [[noreturn]] void fail(std::string_view action) const;  // appends errno
  void close_and_remove() noexcept;

  std::string where_;
  std::string path_;
  std::string temporary_;
  int file_ = -1;
  int64_t position_ = 0;
  int64_t started_ = 0;  // bytes that are on their way to the disk
};

}  // namespace catena::array
