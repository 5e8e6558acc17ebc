#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "catena/dataset/sha256.h"

namespace catena::dataset {

// What is there of a file that is being downloaded: PATH.part, which one thread
// or process has at a time. It outlives failures, so that a download can go on
// from there; commit() makes it the file. All throw IoError.
class PartialFile {
 public:
  enum class Start { kAtOnce, kAfterAnother };

  // Waits until nobody else has the file.
  explicit PartialFile(const std::string& path);
  // Removes the partial file when it is empty.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // Whether somebody else had it before, and may have finished it.
  Start start() const { return start_; }
  int64_t size() const { return size_; }
  // The SHA-256 of what there is, in hexadecimal.
  std::string sha256() const { return Sha256(hash_).hex_digest(); }

  void append(std::span<const char> bytes);
  void clear();
  // Makes it durable and renames it to the path. Call it once, at the end.
  void commit();

 private:
  // Whether the partial file is still under its name.
  bool lock();
  void hash_content();
  [[noreturn]] void fail(const char* action) const;  // appends errno

  std::string path_;
  std::string partial_;
  int file_ = -1;
  Start start_ = Start::kAtOnce;
  int64_t size_ = 0;
  Sha256 hash_;
};

}  // namespace catena::dataset
