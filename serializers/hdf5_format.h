#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "catena/array/io/byte_source.h"
#include "catena/array/io/load_limits.h"

// Reads the structures of HDF5 files, by the HDF5 File Format Specification
// 3.0. All numbers of the format are little endian.
namespace catena::serializers::hdf5 {

// The address of what is not in the file.
inline constexpr uint64_t kNoAddress = UINT64_MAX;

// The bytes that the format takes for a number of at most `largest`.
int bytes_for(uint64_t largest);

// An open file with a sound superblock. Addresses count from the superblock's
// base address. Reading is thread-safe.
class File {
 public:
  // Throws IoError when the path is no regular file, or the file cannot be
  // opened, is larger than limits.file_bytes, no HDF5 file, cut short, or open
  // for writing.
  File(const std::string& path, const LoadLimits& limits);

  // "load_hdf5: 'x.h5'": the beginning of error messages.
  const std::string& where() const { return source_.where(); }
  // The first address beyond the file, as it says itself.
  uint64_t end() const { return end_; }
  // The sizes of addresses and lengths in the file: 2, 4 or 8.
  int address_bytes() const { return address_bytes_; }
  int length_bytes() const { return length_bytes_; }
  // Half of the children of a node: of the trees of old groups and of chunks,
  // and half of the links of a group's node. 0: there is an extension, which
  // may say that.
  struct NodeSizes {
    uint64_t group = 16;
    uint64_t links = 4;
    uint64_t chunks = 32;
  };
  const NodeSizes& node_sizes() const { return node_sizes_; }
  // The address of an object header with more about the file, or kNoAddress.
  uint64_t extension() const { return extension_; }
  // The address of the root group's object header.
  uint64_t root() const { return root_; }

  // Whether `count` bytes from `address` on are in the file.
  bool has(uint64_t address, uint64_t count) const {
    return count <= end_ && address <= end_ - count;
  }
  // Fills `to` with the bytes from `address` on. Throws IoError when they are
  // not in the file, or cannot be read.
  void read(uint64_t address, std::span<char> to) const;

 private:
  uint64_t find_signature() const;
  void read_superblock();

  array::ByteSource source_;
  uint64_t base_ = 0;
  uint64_t end_;
  int address_bytes_ = 8;
  int length_bytes_ = 8;
  NodeSizes node_sizes_;
  uint64_t extension_ = kNoAddress;
  uint64_t root_ = kNoAddress;
};

// A walk through structures that refer to each other. In a sound file they do
// not overlap, so that no walk reads more bytes than the file has: cycles, and
// places that many others refer to, end in an IoError.
class Walk {
 public:
  // Error messages begin with `where`: "load_hdf5: 'x.h5': 'key'".
  Walk(const File& file, std::string where)
      : Walk(file, std::move(where), file.end()) {}
  Walk(const File& file, std::string where, uint64_t bytes_left)
      : file_(file), where_(std::move(where)), bytes_left_(bytes_left) {}

  const File& file() const { return file_; }
  const std::string& where() const { return where_; }
  // How many bytes of structures may still be read.
  uint64_t bytes_left() const { return bytes_left_; }
  // Counts bytes that are read. Throws IoError when they are too many.
  void take(uint64_t bytes);

 private:
  const File& file_;
  std::string where_;
  uint64_t bytes_left_;
};

// Reads the fields of one structure in order, and nothing beyond its end. Each
// read throws IoError, naming the structure and its address, when there are too
// few bytes.
class Cursor {
 public:
  // A structure in the file, which ends where the file does. `structure` is its
  // name in messages, a literal.
  Cursor(Walk& walk, std::string_view structure, uint64_t address);

  uint64_t number(int bytes);
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  // kNoAddress for what is not in the file.
  uint64_t address();
  uint64_t length();
  // The bytes stay valid until the next read.
  std::span<const char> bytes(uint64_t count);
  void skip(uint64_t count) { bytes(count); }
  // The characters up to a zero, and that.
  std::string text();
  // The next bytes, as a structure of their own that ends with them.
  Cursor part(std::string_view structure, uint64_t count);
  // As part, of bytes that have been read.
  Cursor part_before(std::string_view structure, uint64_t begin,
                     uint64_t count) const;

  Walk& walk() const { return *walk_; }
  // How many bytes have been read, and which.
  uint64_t position() const { return position_; }
  std::span<const char> before() const {
    return std::span<const char>(bytes_).first(position_);
  }
  // How many bytes of a part are left.
  uint64_t left() const { return bytes_.size() - position_; }

  // Reads a signature. Throws IoError when it is another.
  void expect_signature(std::string_view signature);
  // Reads a version. Throws IoError when it is none of these.
  int version(std::initializer_list<int> supported);
  // Reads the checksum of all bytes before. Throws IoError when it is wrong.
  void check_sum();
  // Throws IoError: "WHERE: STRUCTURE at ADDRESS: expected ..., got ...".
  [[noreturn]] void refuse(std::string_view expected,
                           std::string_view actual) const;

 private:
  Cursor(const Cursor& whole, std::string_view structure, uint64_t begin,
         uint64_t count);
  void load(uint64_t count);

  Walk* walk_;
  std::string_view structure_;
  uint64_t address_;
  bool is_part_ = false;
  uint64_t position_ = 0;
  std::string bytes_;  // those that have been read, and some ahead
};

}  // namespace catena::serializers::hdf5
