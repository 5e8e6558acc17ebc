#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

// Makes changed HDF5 files consistent again, so that fuzzing gets past the
// checksums that the reader looks at first. See tests/fuzzing/mend.h.
namespace catena::serializers {

// The structures of an HDF5 file that have a checksum, with the length of each:
// the format tells few of them at the place itself.
class Hdf5Structures {
 public:
  explicit Hdf5Structures(std::span<const uint8_t> file);

  // Renews the checksums of `changed`, which was made from the file: where a
  // signature still stands, the structure is taken to be as long as that one
  // was, and an object header as long as it says.
  void mend(std::span<uint8_t> changed) const;

  int size() const;

 private:
  struct Structure {
    size_t bytes;   // from the signature to the end, checksum included
    size_t sum_at;  // where in it the checksum stands
  };

  // By their signatures, in the file's order.
  std::map<std::string_view, std::vector<Structure>> structures_;
};

}  // namespace catena::serializers
