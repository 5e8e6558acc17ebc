#include "catena/tests/testing/temp_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "catena/array/core/error.h"

namespace catena::testing {

TempFolder::TempFolder() : path_(::testing::TempDir() + "/catena_XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) {
    raise<IoError>("TempFolder: cannot create ", path_);
  }
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::file(std::string_view name) const {
  return str(path_, "/", name);
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) raise<IoError>("read_file: cannot open ", path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << bytes;
  stream.close();
  if (!stream) raise<IoError>("write_file: cannot write ", path);
}

}  // namespace catena::testing
