#include "catena/dataset/temp_file.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "catena/array/error.h"
#include "catena/array/io/durable_rename.h"
#include "catena/array/io/quote.h"

namespace catena::dataset {

TempFile::TempFile(const std::string& path) : path_(path) {
  // A folder of its own: the creator's file must not exist yet, and may have
  // others beside it.
  folder_ = array::folder_of(path) + "/.making.XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) {
    raise<IoError>("cache_or_load_file: cannot create a file beside '", path,
                   "': ", std::strerror(errno));
  }
  temporary_ = folder_ + "/" + std::filesystem::path(path).filename().string();
}

TempFile::~TempFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void TempFile::commit() {
  array::sync_and_rename(temporary_, path_,
                         str("cache_or_load_file: ", array::quote_path(path_)));
}

}  // namespace catena::dataset
