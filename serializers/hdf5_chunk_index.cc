#include "catena/serializers/hdf5_chunk_index.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/serializers/hdf5_btree.h"

namespace catena::serializers::hdf5 {
namespace {

// The types of B-trees.
constexpr int kChunks = 1;           // of version 1
constexpr int kPlainChunks = 10;     // of version 2
constexpr int kFilteredChunks = 11;  // of version 2

constexpr int kMaskBytes = 4;
constexpr uint64_t kChecksumBytes = 4;

uint64_t shifted(int bits) { return uint64_t{1} << bits; }

// Bits of a bitmap, the highest of each byte first.
bool has_bit(std::string_view bitmap, uint64_t i) {
  return (static_cast<uint8_t>(bitmap[i / 8]) & 0x80 >> i % 8) != 0;
}

class IndexReader {
 public:
  IndexReader(Walk& walk, const Layout& layout, const ChunkGrid& grid,
              const std::vector<uint64_t>& max_extents, bool has_filters,
              uint64_t chunk_bytes)
      : walk_(walk),
        layout_(layout),
        grid_(grid),
        has_filters_(has_filters),
        chunk_bytes_(chunk_bytes) {
    for (size_t i = 0; i < max_extents.size(); ++i) {
      const auto chunk =
          static_cast<uint64_t>(grid.chunk()[static_cast<int>(i)]);
      max_counts_.push_back(max_extents[i] == UINT64_MAX
                                ? UINT64_MAX
                                : max_extents[i] / chunk +
                                      (max_extents[i] % chunk != 0 ? 1 : 0));
    }
  }

  std::vector<Chunk> read() {
    if (layout_.address == kNoAddress) return {};
    switch (layout_.index) {
      case ChunkIndex::kBTree1:
        read_tree1();
        break;
      case ChunkIndex::kSingle:
        add(std::vector<uint64_t>(max_counts_.size()),
            {0, layout_.address, layout_.bytes.value_or(chunk_bytes_),
             layout_.filter_mask});
        break;
      case ChunkIndex::kImplicit:
        read_implicit();
        break;
      case ChunkIndex::kFixedArray:
        read_fixed_array();
        break;
      case ChunkIndex::kExtensibleArray:
        read_extensible_array();
        break;
      case ChunkIndex::kBTree2:
        read_tree2();
        break;
    }
    return std::move(chunks_);
  }

 private:
  [[noreturn]] void refuse(std::string_view expected,
                           std::string_view actual) const {
    raise<IoError>(walk_.where(), ": index of the chunks: expected ", expected,
                   ", got ", actual);
  }

  // Adds a chunk, if it is in the file and in the dataset.
  void add(const std::vector<uint64_t>& at, Chunk chunk) {
    if (chunk.address == kNoAddress) return;
    const auto place = grid_.place(at);
    if (!place) return;
    chunk.place = *place;
    if (!walk_.file().has(chunk.address, chunk.bytes)) {
      refuse("chunks in the file",
             str(chunk.bytes, " bytes at ", chunk.address));
    }
    chunks_.push_back(chunk);
  }

  // As add, for the chunk of an array's element.
  void add_element(uint64_t element, const Chunk& chunk) {
    if (chunk.address == kNoAddress) return;
    if (element >= elements_end_) {
      refuse(str("no chunks from element ", elements_end_, " on"),
             str("one of element ", element));
    }
    add(at_element(element), chunk);
  }

  void read_tree1() {
    const size_t axes = max_counts_.size();
    const uint64_t key_bytes = 8 + 8 * (axes + 1);
    for_each_child(
        walk_, layout_.address, kChunks, key_bytes,
        [&](Cursor before, uint64_t address, Cursor behind) {
          const uint64_t bytes = before.u32();
          const uint32_t mask = before.u32();
          behind.skip(8);
          std::vector<uint64_t> at, next;
          for (size_t i = 0; i < axes; ++i) {
            const uint64_t first = before.number(8);
            const auto extent =
                static_cast<uint64_t>(grid_.chunk()[static_cast<int>(i)]);
            if (first % extent != 0) {
              before.refuse(str("a multiple of ", extent), str(first));
            }
            at.push_back(first / extent);
            next.push_back(behind.number(8) / extent);
          }
          // The key behind all chunks need not be at the first byte of one.
          if (before.number(8) != 0 || next < at ||
              (next == at && behind.number(8) == 0)) {
            before.refuse("keys in order", "others");
          }
          if (!has_filters_ && bytes != chunk_bytes_) {
            before.refuse(str("chunks of ", chunk_bytes_, " bytes"),
                          str(bytes));
          }
          expect_order(before, at);
          add(at, {0, address, bytes, mask});
        });
  }

  // What looks a chunk up would not find it elsewhere.
  void expect_order(const Cursor& where, const std::vector<uint64_t>& at) {
    if (!last_.empty() && at <= last_) {
      where.refuse("chunks in order", "others");
    }
    last_ = at;
  }

  void read_tree2() {
    const size_t axes = max_counts_.size();
    for_each_record(
        walk_, layout_.address, has_filters_ ? kFilteredChunks : kPlainChunks,
        [&](Cursor& record) {
          const Chunk chunk = read_element(record, record.left() - 8 * axes);
          std::vector<uint64_t> at;
          for (size_t i = 0; i < axes; ++i) at.push_back(record.number(8));
          expect_order(record, at);
          add(at, chunk);
        });
  }

  // All chunks that the dataset may have, one after the other.
  void read_implicit() {
    if (has_filters_) refuse("chunks without filters", "filters");
    for (int64_t place = 0; place < grid_.size(); ++place) {
      const Shape first = grid_.first_element(place);
      std::vector<uint64_t> at;
      uint64_t element = 0;
      for (int i = 0; i < first.ndim(); ++i) {
        at.push_back(static_cast<uint64_t>(first[i] / grid_.chunk()[i]));
        if (__builtin_mul_overflow(element, max_counts_[static_cast<size_t>(i)],
                                   &element) ||
            __builtin_add_overflow(element, at.back(), &element)) {
          refuse("fewer chunks", "more than 2^64");
        }
      }
      uint64_t address = 0;
      if (__builtin_mul_overflow(element, chunk_bytes_, &address) ||
          __builtin_add_overflow(address, layout_.address, &address)) {
        refuse("chunks in the file", "one beyond its end");
      }
      add(at, {0, address, chunk_bytes_, 0});
    }
  }

  // The address of a chunk; with filters also its size and what it skips. The
  // size takes the bytes that are left of an element of `bytes`.
  Chunk read_element(Cursor& cursor, uint64_t bytes) const {
    Chunk chunk = {0, cursor.address(), chunk_bytes_, 0};
    if (has_filters_) {
      const auto fixed =
          static_cast<uint64_t>(walk_.file().address_bytes() + kMaskBytes);
      check_element_bytes(cursor, bytes > fixed && bytes <= fixed + 8, bytes);
      chunk.bytes = cursor.number(static_cast<int>(bytes - fixed));
      chunk.filter_mask = cursor.u32();
    } else {
      check_element_bytes(
          cursor, bytes == static_cast<uint64_t>(walk_.file().address_bytes()),
          bytes);
    }
    return chunk;
  }

  static void check_element_bytes(const Cursor& cursor, bool is_sound,
                                  uint64_t bytes) {
    if (!is_sound) {
      cursor.refuse("the address and size of a chunk", str(bytes, " bytes"));
    }
  }

  // The start of each part of an array; all have the ID of their purpose.
  void expect_head(Cursor& cursor, std::string_view signature) const {
    cursor.expect_signature(signature);
    cursor.version({0});
    const int purpose = cursor.u8();
    const int expected = has_filters_ ? 1 : 0;
    if (purpose != expected) {
      cursor.refuse(str("chunks of purpose ", expected), str(purpose));
    }
  }

  // The start of a part that belongs to a header.
  void expect_head(Cursor& cursor, std::string_view signature,
                   uint64_t header) const {
    expect_head(cursor, signature);
    const uint64_t actual = cursor.address();
    if (actual != header) {
      cursor.refuse(str("a part of the array at ", header), str(actual));
    }
  }

  // Some elements of an array.
  struct Elements {
    uint64_t first;
    uint64_t count;
  };

  // The elements that come next in a structure.
  void read_elements(Cursor& cursor, Elements elements) {
    for (uint64_t i = 0; i < elements.count; ++i) {
      add_element(elements.first + i, read_element(cursor, element_bytes_));
    }
  }

  // The pages that follow a structure, each with a checksum; those whose bit is
  // not set have never been written.
  void read_pages(uint64_t address, Elements elements, uint64_t page_elements,
                  std::string_view bitmap, uint64_t first_bit) {
    const uint64_t pages = (elements.count - 1) / page_elements + 1;
    for (uint64_t page = 0; page < pages; ++page) {
      const uint64_t before = page * page_elements;
      const uint64_t count = std::min(page_elements, elements.count - before);
      if (!has_bit(bitmap, first_bit + page)) continue;
      Cursor cursor(walk_, "page of an array of chunks",
                    address + before * element_bytes_ + page * kChecksumBytes);
      read_elements(cursor, {elements.first + before, count});
      cursor.check_sum();
    }
  }

  void read_fixed_array() {
    axis_ = 0;
    Cursor header(walk_, "fixed array", layout_.address);
    expect_head(header, "FAHD");
    element_bytes_ = header.u8();
    const int page_bits = header.u8();
    const uint64_t elements = header.length();
    const uint64_t data = header.address();
    header.check_sum();
    check_page_bits(header, page_bits);
    if (data == kNoAddress) return;
    Cursor block(walk_, "data block of a fixed array", data);
    expect_head(block, "FADB", layout_.address);
    if (elements <= shifted(page_bits)) {
      read_elements(block, {0, elements});
      block.check_sum();
      return;
    }
    const uint64_t pages = (elements - 1) / shifted(page_bits) + 1;
    const uint64_t bitmap_bytes = (pages - 1) / 8 + 1;
    const std::span<const char> bytes = block.bytes(bitmap_bytes);
    const std::string bitmap(bytes.begin(), bytes.end());
    block.check_sum();
    read_pages(data + block.position(), {0, elements}, shifted(page_bits),
               bitmap, 0);
  }

  static void check_page_bits(const Cursor& header, int bits) {
    constexpr int kMaxBits = 32;  // pages of more elements are in no file
    if (bits > kMaxBits) {
      header.refuse(str("pages of at most 2^", kMaxBits, " elements"),
                    str("2^", bits));
    }
  }

  // What the header of an extensible array says.
  struct ExtensibleArray {
    int offset_bytes;        // of the numbers of elements
    uint64_t page_elements;  // larger data blocks have pages
    uint64_t min_elements;   // of a data block
  };

  // The elements of the index block come first, then those of its data blocks,
  // then those of the data blocks of its super blocks. The sizes and numbers of
  // data blocks grow as if all were in super blocks.
  void read_extensible_array() {
    move_unlimited_axis_to_front();
    Cursor header(walk_, "extensible array", layout_.address);
    expect_head(header, "EAHD");
    element_bytes_ = header.u8();
    const int max_bits = header.u8();
    const uint64_t index_elements = header.u8();
    const uint64_t min_elements = header.u8();
    const uint64_t min_pointers = header.u8();
    const int page_bits = header.u8();
    for (int i = 0; i < 4; ++i) header.length();  // statistics
    elements_end_ = header.length();
    header.length();  // the elements for which there is room
    const uint64_t index = header.address();
    header.check_sum();
    check_page_bits(header, page_bits);
    constexpr int kMaxBits = 64;
    if (max_bits > kMaxBits || !std::has_single_bit(min_elements) ||
        !std::has_single_bit(min_pointers)) {
      header.refuse("sizes of blocks that are powers of two", "others");
    }
    if (index == kNoAddress) return;
    const ExtensibleArray array = {(max_bits + 7) / 8, shifted(page_bits),
                                   min_elements};
    const int super_blocks =
        std::max(max_bits - std::countr_zero(min_elements), -1) + 1;
    const int in_index = 2 * std::countr_zero(min_pointers);

    Cursor block(walk_, "index block of an extensible array", index);
    expect_head(block, "EAIB", layout_.address);
    read_elements(block, {0, index_elements});
    uint64_t first = index_elements;
    std::vector<std::pair<uint64_t, Elements>> data_blocks;
    for (int i = 0; i < in_index; ++i) {
      const uint64_t count = block_elements(array, i);
      for (uint64_t j = 0; j < shifted(i / 2); ++j, first += count) {
        data_blocks.push_back({block.address(), {first, count}});
      }
    }
    std::vector<uint64_t> addresses;
    for (int i = in_index; i < super_blocks; ++i) {
      addresses.push_back(block.address());
    }
    block.check_sum();
    for (const auto& [address, elements] : data_blocks) {
      if (address != kNoAddress) {
        read_data_block(array, address, elements, {}, 0);
      }
    }
    for (size_t i = 0; i < addresses.size(); ++i) {
      const int level = in_index + static_cast<int>(i);
      if (addresses[i] != kNoAddress) {
        read_super_block(array, addresses[i], level, first);
      }
      first += shifted(level / 2) * block_elements(array, level);
    }
  }

  // The elements of each data block of the i-th super block.
  static uint64_t block_elements(const ExtensibleArray& array, int i) {
    return shifted((i + 1) / 2) * array.min_elements;
  }

  void read_super_block(const ExtensibleArray& array, uint64_t address,
                        int level, uint64_t first) {
    Cursor block(walk_, "super block of an extensible array", address);
    expect_head(block, "EASB", layout_.address);
    block.skip(static_cast<uint64_t>(array.offset_bytes));
    const uint64_t blocks = shifted(level / 2);
    const uint64_t count = block_elements(array, level);
    const uint64_t pages =
        count > array.page_elements ? count / array.page_elements : 0;
    // At most 2^62, since all of the array's elements are at most 2^64.
    const std::span<const char> bytes = block.bytes(blocks * ((pages + 7) / 8));
    const std::string bitmap(bytes.begin(), bytes.end());
    std::vector<uint64_t> addresses;
    for (uint64_t i = 0; i < blocks; ++i) addresses.push_back(block.address());
    block.check_sum();
    for (uint64_t i = 0; i < blocks; ++i) {
      if (addresses[i] != kNoAddress) {
        read_data_block(array, addresses[i], {first + i * count, count}, bitmap,
                        i * pages);
      }
    }
  }

  void read_data_block(const ExtensibleArray& array, uint64_t address,
                       Elements elements, std::string_view bitmap,
                       uint64_t first_bit) {
    Cursor block(walk_, "data block of an extensible array", address);
    expect_head(block, "EADB", layout_.address);
    block.skip(static_cast<uint64_t>(array.offset_bytes));
    if (elements.count <= array.page_elements) {
      read_elements(block, elements);
      block.check_sum();
    } else {
      block.check_sum();
      if (bitmap.empty()) block.refuse("a block without pages", "pages");
      read_pages(address + block.position(), elements, array.page_elements,
                 bitmap, first_bit);
    }
  }

  // The elements of an array are in C order, but for extensible arrays with the
  // axis that grows in front.
  void move_unlimited_axis_to_front() {
    const auto unlimited =
        std::find(max_counts_.begin(), max_counts_.end(), UINT64_MAX);
    if (unlimited == max_counts_.end()) {
      refuse("an axis that may grow without limit", "none");
    }
    axis_ = static_cast<size_t>(unlimited - max_counts_.begin());
  }

  // The chunk of an element.
  std::vector<uint64_t> at_element(uint64_t element) const {
    std::vector<uint64_t> at(max_counts_.size());
    for (size_t i = at.size(); i-- > 0;) {
      if (i == axis_) continue;
      // An element beyond all others has an index of its own.
      const uint64_t count = std::max<uint64_t>(max_counts_[i], 1);
      at[i] = element % count;
      element /= count;
    }
    if (!at.empty()) at[axis_] = element;
    return at;
  }

  Walk& walk_;
  const Layout& layout_;
  const ChunkGrid& grid_;
  const bool has_filters_;
  const uint64_t chunk_bytes_;
  // How many chunks there may be along each axis.
  std::vector<uint64_t> max_counts_;
  // The axis that changes most slowly in an array of chunks.
  size_t axis_ = 0;
  uint64_t element_bytes_ = 0;
  // The first element of an array that has never been set.
  uint64_t elements_end_ = UINT64_MAX;
  std::vector<Chunk> chunks_;
  std::vector<uint64_t> last_;  // the chunk before in a tree
};

}  // namespace

ChunkGrid::ChunkGrid(const Shape& shape, const Shape& chunk)
    : shape_(shape), chunk_(chunk) {
  for (int i = 0; i < shape.ndim(); ++i) {
    counts_.push_back((shape[i] - 1) / chunk[i] + 1);
    size_ *= counts_[i];
  }
}

std::optional<int64_t> ChunkGrid::place(const std::vector<uint64_t>& at) const {
  int64_t place = 0;
  for (int i = 0; i < counts_.ndim(); ++i) {
    const uint64_t index = at[static_cast<size_t>(i)];
    if (index >= static_cast<uint64_t>(counts_[i])) return std::nullopt;
    place = place * counts_[i] + static_cast<int64_t>(index);
  }
  return place;
}

Shape ChunkGrid::first_element(int64_t place) const {
  Shape first = chunk_;
  for (int i = counts_.ndim(); i-- > 0;) {
    first[i] *= place % counts_[i];
    place /= counts_[i];
  }
  return first;
}

std::vector<Chunk> read_chunk_index(Walk& walk, const Layout& layout,
                                    const ChunkGrid& grid,
                                    const std::vector<uint64_t>& max_extents,
                                    bool has_filters, uint64_t chunk_bytes) {
  return IndexReader(walk, layout, grid, max_extents, has_filters, chunk_bytes)
      .read();
}

}  // namespace catena::serializers::hdf5
