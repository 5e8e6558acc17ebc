#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catena/array/io/decompressed_file.h"
#include "catena/array/io/load_limits.h"

namespace catena::dataset {

// The files in a tar archive (POSIX ustar), one after the other; the archive
// may be compressed by gzip. Folders, links and the like are left out. Damage
// is an IoError that names the archive, what was expected and what came.
class TarReader {
 public:
  struct Member {
    std::string name;
    int64_t bytes;
  };

  // IoError, starting with `operation` and naming the path, when the archive
  // cannot be opened.
  TarReader(const std::string& path, std::string_view operation,
            const LoadLimits& limits = {});

  // Goes on to the next file; absent at the archive's end.
  std::optional<Member> next();
  // Fills `to` with the next bytes of the current file, which must have them.
  void read(std::span<char> to);

  // How messages about the archive begin.
  const std::string& where() const { return file_.where(); }

 private:
  void skip(int64_t bytes);

  array::DecompressedFile file_;
  int64_t rest_ = 0;     // of the current file
  int64_t padding_ = 0;  // behind it
};

}  // namespace catena::dataset
