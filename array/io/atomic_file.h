#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/io/byte_sink.h"

namespace catena::array {

// Writes a file atomically: it appears complete or not at all. Bytes go to a
// temporary file in the same folder; commit() flushes it (fsync), renames it
// over the old file, whose permissions it keeps, and flushes the folder.
// Without commit() the temporary file is removed and an existing file is
// unchanged.
//
// The temporary file has no name before commit(), so that the system removes it
// if the process is killed. Then, and on file systems without such files
// (O_TMPFILE) all the time, the name is that of the file with ".unfinished.tmp"
// behind: what a process that was killed has left there is removed by the next
// that writes the file. While another writes the same file the name is unique
// and ends in ".tmp".
class AtomicFile final : public ByteSink {
 public:
  // Follows symbolic links. Throws IoError, starting with `operation` and
  // naming the path, when the folder is missing or not writable, or the path
  // exists and is not a regular file.
  AtomicFile(const std::string& path, std::string_view operation);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const char> bytes) override;
  void overwrite(int64_t offset, std::span<const char> bytes) override;
  int64_t position() const override { return position_; }
  std::string where() const override { return where_; }
  // Reads what was written before; what was not, in between, is zeros. Throws
  // IoError when the bytes cannot be read, or are beyond the end.
  void read(int64_t offset, std::span<char> bytes) const;

  // Call once, after the last write. Throws IoError.
  void commit();
  // The same without flushing, which takes most of the time of small files: the
  // file is whole even if the process is killed, but not after a power failure.
  // For files that are easy to write again.
  void commit_unflushed();

 private:
  struct Unopened {};
  AtomicFile(Unopened, const std::string& path, std::string_view operation);
  void open_unnamed();
  void open_named();
  void name_temporary();
  bool link_as(const std::string& name) const;
  void write_at(int64_t offset, std::span<const char> bytes);
  void start_writeback() noexcept;
  void close();
  [[noreturn]] void fail(std::string_view action) const;  // appends errno
  void close_and_remove() noexcept;
  void unlock() noexcept;

  std::string where_;
  std::string path_;
  std::string temporary_;  // empty while the file has no name
  int file_ = -1;
  // Says others that the fixed name is in use, until the file has been renamed.
  int lock_ = -1;
  int64_t position_ = 0;
  int64_t started_ = 0;  // bytes whose write-back has been started
};

}  // namespace catena::array
