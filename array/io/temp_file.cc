#include "catena/array/io/temp_file.h"

#include <filesystem>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/durable_rename.h"

namespace catena::array {

// A separate folder, since the writer may expect a file that does not exist
// yet, and may create others next to it.
TempFile::TempFile(const std::string& path, std::string_view operation)
    : where_(str(operation, ": ", quote_path(path))),
      path_(path),
      folder_(folder_of(path), ".making.", where_),
      temporary_(folder_.path() + "/" +
                 std::filesystem::path(path).filename().string()) {}

void TempFile::commit() { sync_and_rename(temporary_, path_, where_); }

}  // namespace catena::array
