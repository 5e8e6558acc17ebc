#include "catena/serializers/hdf5_heaps.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_checksums.h"

namespace catena::serializers::hdf5 {
namespace {

int log2_of(uint64_t power) { return std::countr_zero(power); }

// Free places are in a list, each with the offset of the next and its bytes.
void check_free_list(const Cursor& data, uint64_t first) {
  constexpr uint64_t kEnd = 1;
  const auto length_bytes =
      static_cast<uint64_t>(data.walk().file().length_bytes());
  const uint64_t bytes = data.left();
  uint64_t free = 0;
  for (uint64_t at = first; at != kEnd;) {
    if (at > bytes || bytes - at < 2 * length_bytes) {
      data.refuse("a list of free places in it", str("one at ", at));
    }
    Cursor place = data;
    place.skip(at);
    at = place.length();
    const uint64_t size = place.length();
    free += size;
    if (size > place.left() + 2 * length_bytes || size < 2 * length_bytes ||
        free > bytes || at == 0) {
      data.refuse("free places that fit in it", str(size, " bytes"));
    }
  }
}

// The data of a local heap, which stands elsewhere than its header.
Cursor read_local_heap(Walk& walk, uint64_t address) {
  Cursor header(walk, "local heap", address);
  header.expect_signature("HEAP");
  header.version({0});
  header.skip(3);
  const uint64_t bytes = header.length();
  const uint64_t first_free = header.length();
  Cursor data(walk, "data of a local heap", header.address());
  Cursor part = data.part("data of a local heap", bytes);
  check_free_list(part, first_free);
  return part;
}

}  // namespace

LocalHeap::LocalHeap(Walk& walk, uint64_t address)
    : data_(read_local_heap(walk, address)), bytes_left_(data_.left()) {
  data_.skip(data_.left());
}

std::string LocalHeap::key(uint64_t offset) const {
  const std::span<const char> data = data_.before();
  const auto rest = data.subspan(std::min<uint64_t>(offset, data.size()));
  const auto end = std::find(rest.begin(), rest.end(), '\0');
  if (end == rest.end()) {
    data_.refuse(str("a name at ", offset, " that ends"), "none");
  }
  return {rest.begin(), end};
}

std::string LocalHeap::name(uint64_t offset) {
  std::string name = key(offset);
  if (name.size() + 1 > bytes_left_) {
    data_.refuse("names that fit in the heap together", "more");
  }
  bytes_left_ -= name.size() + 1;
  return name;
}

FractalHeap::FractalHeap(Walk& walk, uint64_t address)
    : walk_(walk), address_(address) {
  Cursor header(walk, "fractal heap", address);
  header.expect_signature("FRHP");
  header.version({0});
  id_bytes_ = header.u16();
  const int filter_bytes = header.u16();
  if (filter_bytes != 0) header.refuse("a heap without filters", "filters");
  constexpr int kHasChecksums = 1 << 1;
  has_checksums_ = (header.u8() & kHasChecksums) != 0;
  const uint64_t largest_object = header.u32();
  header.length();                              // the next huge object
  header.address();                             // the index of huge objects
  header.length();                              // free space
  header.address();                             // the index of free space
  for (int i = 0; i < 8; ++i) header.length();  // statistics
  width_ = header.u16();
  first_bytes_ = header.length();
  const uint64_t largest_block = header.length();
  const int heap_bits = header.u16();
  header.skip(2);  // rows of a new root
  const uint64_t root = header.address();
  const int rows = header.u16();
  header.check_sum();
  if (!std::has_single_bit(width_) || !std::has_single_bit(first_bytes_) ||
      !std::has_single_bit(largest_block) || largest_block < first_bytes_) {
    header.refuse("blocks whose sizes are powers of two", "others");
  }
  // A heap of 2^64 bytes could have these rows.
  constexpr int kMaxBits = 64;
  const int row_bits = log2_of(width_) + log2_of(first_bytes_);
  if (heap_bits > kMaxBits || row_bits > heap_bits ||
      rows > heap_bits - row_bits + 1) {
    header.refuse(str("rows of blocks for ", heap_bits, " bits"), str(rows));
  }
  offset_bytes_ = (heap_bits + 7) / 8;
  length_bytes_ = std::min(bytes_for(largest_block), bytes_for(largest_object));
  direct_rows_ = log2_of(largest_block) - log2_of(first_bytes_) + 2;
  if (root == kNoAddress) return;
  if (rows == 0) {
    read_direct(root, 0, first_bytes_);
  } else {
    read_indirect(root, 0, rows);
  }
}

// The first two rows have blocks of one size, each row after them twice that.
uint64_t FractalHeap::block_bytes(int row) const {
  return first_bytes_ << std::max(row - 1, 0);
}

void FractalHeap::check_head(Cursor& block, std::string_view signature,
                             uint64_t offset) const {
  block.expect_signature(signature);
  block.version({0});
  const uint64_t heap = block.address();
  if (heap != address_) {
    block.refuse(str("a block of the heap at ", address_), str(heap));
  }
  const uint64_t actual = block.number(offset_bytes_);
  if (actual != offset) block.refuse(str("offset ", offset), str(actual));
}

// Blocks with objects, and below them blocks like this one, of fewer rows.
void FractalHeap::read_indirect(uint64_t address, uint64_t offset, int rows) {
  constexpr std::string_view kBlock = "indirect block of a fractal heap";
  Cursor block(walk_, kBlock, address);
  check_head(block, "FHIB", offset);
  if (rows < 1) block.refuse("at least 1 row of blocks", "none");
  Cursor children = block.part(
      kBlock,
      static_cast<uint64_t>(rows * walk_.file().address_bytes()) * width_);
  block.check_sum();
  for (int row = 0; row < rows; ++row) {
    const uint64_t bytes = block_bytes(row);
    for (uint64_t i = 0; i < width_; ++i, offset += bytes) {
      const uint64_t child = children.address();
      if (child == kNoAddress) continue;
      if (row < direct_rows_) {
        read_direct(child, offset, bytes);
      } else {
        // As many rows as together have the bytes of this block.
        read_indirect(child, offset, row - log2_of(width_));
      }
    }
  }
}

void FractalHeap::read_direct(uint64_t address, uint64_t offset,
                              uint64_t bytes) {
  constexpr uint64_t kChecksumBytes = 4;
  Cursor block(walk_, "direct block of a fractal heap", address);
  check_head(block, "FHDB", offset);
  const uint64_t checksum_at = block.position();
  const uint32_t checksum = has_checksums_ ? block.u32() : 0;
  if (bytes < block.position()) {
    block.refuse("a block with room for its header", str(bytes, " bytes"));
  }
  block.skip(bytes - block.position());
  if (has_checksums_) {
    // It counts as zero in the sum of the whole block.
    std::string summed(block.before().begin(), block.before().end());
    summed.replace(checksum_at, kChecksumBytes, kChecksumBytes, '\0');
    const uint32_t actual = lookup3(summed);
    if (actual != checksum)
      block.refuse(str("checksum ", checksum), str(actual));
  }
  blocks_.emplace(offset, std::move(block));
  bytes_left_ += bytes;
}

Cursor FractalHeap::object(Cursor id, std::string_view structure) {
  constexpr int kManaged = 0;  // neither huge nor inside the ID
  const int head = id.u8();
  if (head >> 6 != 0) id.refuse("version 0", str(head >> 6));
  if ((head >> 4 & 3) != kManaged) {
    id.refuse("an object in a block of the heap",
              "one that is huge or in the ID itself");
  }
  const uint64_t offset = id.number(offset_bytes_);
  const uint64_t bytes = id.number(length_bytes_);
  auto block = blocks_.upper_bound(offset);
  if (block == blocks_.begin()) {
    id.refuse("an object in a block of the heap", str("offset ", offset));
  }
  --block;
  if (bytes > bytes_left_) {
    id.refuse("objects that fit in the heap together", "more");
  }
  bytes_left_ -= bytes;
  return block->second.part_before(structure, offset - block->first, bytes);
}

std::string read_global_heap(Walk& walk, uint64_t address, uint64_t index,
                             uint64_t bytes) {
  Cursor header(walk, "global heap", address);
  header.expect_signature("GCOL");
  header.version({1});
  header.skip(3);
  const uint64_t end = header.length();
  if (!walk.file().has(address, end)) {
    header.refuse("a heap in the file", str(end, " bytes"));
  }
  const uint64_t object_head =
      8 + static_cast<uint64_t>(walk.file().length_bytes());
  std::optional<std::string> found;
  for (uint64_t at = header.position(); at < end && object_head <= end - at;) {
    Cursor object(walk, "object of a global heap", address + at);
    const uint64_t actual = object.u16();
    if (actual == 0) break;  // the rest is free
    object.skip(6);          // references, and reserved
    const uint64_t size = object.length();
    if (size > end - at - object_head) {
      object.refuse("an object in its heap", str(size, " bytes"));
    }
    if (actual == index) {
      if (found) object.refuse("objects of different numbers", str(actual));
      if (bytes > size) object.refuse(str(bytes, " bytes"), str(size));
      const std::span<const char> text = object.bytes(bytes);
      found.emplace(text.begin(), text.end());
    }
    at += object_head + (size + 7) / 8 * 8;
  }
  if (!found) header.refuse(str("object ", index), "none");
  return *std::move(found);
}

}  // namespace catena::serializers::hdf5
