#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/io/decompressed_file.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

// Reads the files in a tar archive (POSIX ustar) in order; the archive may be
// gzip-compressed. Folders, links and other special members are skipped. Throws
// IoError, with the archive, what was expected and what was read, when the
// archive is damaged.
class TarReader {
 public:
  struct Member {
    std::string name;
    int64_t bytes;
  };

  // Throws IoError, starting with `operation` and naming the path, when the
  // archive cannot be opened.
  TarReader(const std::string& path, std::string_view operation,
            const LoadLimits& limits = {});

  // Advances to the next file; nullopt at the end of the archive.
  std::optional<Member> next();
  // Fills `to` with the next bytes of the current file. Throws IoError when it
  // has fewer.
  void read(std::span<char> to);

  // The prefix of error messages about the archive.
  const std::string& where() const { return file_.where(); }

 private:
  void skip(int64_t bytes);

  array::DecompressedFile file_;
  int64_t rest_ = 0;     // bytes left of the current file
  int64_t padding_ = 0;  // bytes after it
};

}  // namespace catena::dataset
