#include "catena/array/io/file_identity.h"

#include <sys/stat.h>

namespace catena::array {

bool has_name(int descriptor, const std::string& path) {
  struct stat held = {};
  struct stat there = {};
  return ::fstat(descriptor, &held) == 0 &&
         ::lstat(path.c_str(), &there) == 0 && held.st_dev == there.st_dev &&
         held.st_ino == there.st_ino;
}

}  // namespace catena::array
