#include "catena/array/io/temp_file.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/durable_rename.h"

namespace catena::array {

TempFile::TempFile(const std::string& path, std::string_view operation)
    : where_(str(operation, ": ", quote_path(path))), path_(path) {
  // A separate folder, since the writer may expect a file that does not exist
  // yet, and may create others next to it.
  folder_ = folder_of(path) + "/.making.XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) {
    raise<IoError>(
        where_, ": cannot create a file in its folder: ", std::strerror(errno));
  }
  temporary_ = folder_ + "/" + std::filesystem::path(path).filename().string();
}

TempFile::~TempFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void TempFile::commit() { sync_and_rename(temporary_, path_, where_); }

}  // namespace catena::array
