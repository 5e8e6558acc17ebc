#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "catena/dataset/sha256.h"

namespace catena::dataset {

// A partial download, PATH.part, locked by one thread or process at a time.
// commit() turns it into the final file; until then it may be kept after
// failures, so that a download can be resumed. All methods throw IoError.
class PartialFile {
 public:
  enum class Start { kAtOnce, kAfterAnother };
  enum class Unfinished { kKept, kRemoved };

  // Waits until no other thread or process has the file locked. A symbolic link
  // in its place is an error.
  explicit PartialFile(const std::string& path,
                       Unfinished unfinished = Unfinished::kKept);
  // Removes a partial file that is empty or not to be kept.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // Whether another thread or process had the lock before, and may have
  // finished the download.
  Start start() const { return start_; }
  int64_t size() const { return size_; }
  // The SHA-256 of the content so far, in hexadecimal.
  std::string sha256() const { return Sha256(hash_).hex_digest(); }

  void append(std::span<const char> bytes);
  void clear();
  // Syncs it to disk and renames it to the path. Call once, at the end.
  void commit();

 private:
  struct Unopened {};
  PartialFile(Unopened, const std::string& path, Unfinished unfinished);
  // Whether the locked file still has its name.
  bool lock();
  void hash_content();
  [[noreturn]] void fail(const char* action) const;  // appends errno

  std::string path_;
  std::string partial_;
  Unfinished unfinished_;
  bool is_locked_ = false;
  int file_ = -1;
  Start start_ = Start::kAtOnce;
  int64_t size_ = 0;
  Sha256 hash_;
};

}  // namespace catena::dataset
