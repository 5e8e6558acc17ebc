#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "catena/serializers/hdf5_format.h"

// Heaps: where names, links, attributes and texts of variable length are kept.
namespace catena::serializers::hdf5 {

// The names of links in old groups.
class LocalHeap {
 public:
  // Throws IoError when the heap is damaged.
  LocalHeap(Walk& walk, uint64_t address);
  // The name that begins at an offset. Throws IoError when it does not end, or
  // the names overlap.
  std::string name(uint64_t offset);
  // The same for a key of a tree, which is a name that stands there, too.
  std::string key(uint64_t offset) const;

 private:
  Cursor data_;
  uint64_t bytes_left_;
};

// The objects of new groups and of attributes, in blocks of growing size.
class FractalHeap {
 public:
  // Reads all blocks. Throws IoError when the heap is damaged, or has filters.
  FractalHeap(Walk& walk, uint64_t address);
  // The object with this ID, which is read as a `structure`. Throws IoError
  // when it is damaged, in no block of the heap, or the objects overlap.
  Cursor object(Cursor id, std::string_view structure);
  // The bytes of an ID.
  uint64_t id_bytes() const { return id_bytes_; }

 private:
  void read_indirect(uint64_t address, uint64_t offset, int rows);
  void read_direct(uint64_t address, uint64_t offset, uint64_t bytes);
  void check_head(Cursor& block, std::string_view signature,
                  uint64_t offset) const;
  uint64_t block_bytes(int row) const;

  Walk& walk_;
  uint64_t address_;
  uint64_t id_bytes_ = 0;
  bool has_checksums_ = false;
  int offset_bytes_ = 0;               // of offsets in the heap
  int length_bytes_ = 0;               // of the lengths of objects
  uint64_t width_ = 0;                 // blocks of one size
  uint64_t first_bytes_ = 0;           // the size of the first blocks
  int direct_rows_ = 0;                // rows of blocks with objects
  std::map<uint64_t, Cursor> blocks_;  // by the offset of their first bytes
  uint64_t bytes_left_ = 0;
};

// The first `bytes` bytes of an object of the global heap. Throws IoError when
// the heap is damaged or has no such object.
std::string read_global_heap(Walk& walk, uint64_t address, uint64_t index,
                             uint64_t bytes);

}  // namespace catena::serializers::hdf5
