#include "catena/serializers/hdf5_format.h"

#include <algorithm>
#include <array>
#include <bit>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/little_endian.h"
#include "catena/serializers/hdf5_checksums.h"

namespace catena::serializers::hdf5 {
namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
// The superblock is at 0, or behind a user block of this size times 2^n.
constexpr uint64_t kSmallestUserBlock = 512;
// Flags of superblock version 3: there is a writer, or one that programs may
// read beside.
constexpr int kOpenForWriting = 1 << 0;
constexpr int kOpenForReaders = 1 << 2;

// What the entry of an object in an old group has copies of: nothing, an old
// group's message, or a link.
constexpr uint32_t kCachedGroup = 1;

constexpr uint64_t kReadAhead = 512;

// The flags of a superblock say whether it is in use.
void check_flags(const Cursor& block, uint32_t flags) {
  constexpr uint32_t kFlags = 7;
  if (flags > kFlags) block.refuse("flags that the format has", str(flags));
}

}  // namespace

int bytes_for(uint64_t largest) {
  const auto bits = static_cast<int>(std::bit_width(largest));
  return std::max(bits - 1, 0) / 8 + 1;
}

File::File(const std::string& path, const LoadLimits& limits)
    : source_(array::ByteSource::open(path, "load_hdf5", limits)),
      end_(static_cast<uint64_t>(source_.size())) {
  base_ = find_signature();
  end_ -= base_;
  read_superblock();
}

uint64_t File::find_signature() const {
  std::array<char, kSignature.size()> bytes;
  uint64_t address = 0;
  while (has(address, bytes.size())) {
    read(address, bytes);
    if (std::string_view(bytes.data(), bytes.size()) == kSignature) {
      return address;
    }
    address = std::max(2 * address, kSmallestUserBlock);
  }
  raise<IoError>(where(), ": expected an HDF5 file, got one without its ",
                 "signature");
}

void File::read_superblock() {
  Walk walk(*this, where());
  Cursor block(walk, "superblock", 0);
  block.expect_signature(kSignature);
  const int version = block.version({0, 1, 2, 3});
  const auto size_of_numbers = [&] {
    const int bytes = block.u8();
    if (bytes != 2 && bytes != 4 && bytes != 8) {
      block.refuse("addresses and lengths of 2, 4 or 8 bytes", str(bytes));
    }
    return bytes;
  };
  if (version < 2) {
    block.version({0});  // of free space
    block.version({0});  // of the root group
    block.skip(1);
    block.version({0});  // of shared headers
    address_bytes_ = size_of_numbers();
    length_bytes_ = size_of_numbers();
    block.skip(1);
    node_sizes_.links = block.u16();
    node_sizes_.group = block.u16();
    check_flags(block, block.u32());
    if (version == 1) {
      node_sizes_.chunks = block.u16();
      block.skip(2);
    }
    if (node_sizes_.links == 0 || node_sizes_.group == 0 ||
        node_sizes_.chunks == 0) {
      block.refuse("B-tree nodes of a size above 0", "0");
    }
  } else {
    address_bytes_ = size_of_numbers();
    length_bytes_ = size_of_numbers();
    const int flags = block.u8();
    check_flags(block, static_cast<uint32_t>(flags));
    if (version == 3 && (flags & (kOpenForWriting | kOpenForReaders)) != 0) {
      block.refuse("a file that its writer has closed", "an open one");
    }
  }
  const uint64_t base = block.address();
  // Free space before version 2.
  extension_ = block.address();
  if (version >= 2 && extension_ != kNoAddress) node_sizes_ = {0, 0, 0};
  const uint64_t end = block.address();
  if (version < 2) {
    if (block.address() != kNoAddress) {
      block.refuse("data in this file", "a driver for several files");
    }
    if (extension_ != kNoAddress) {
      block.refuse("no index of free space", str("one at ", extension_));
    }
    block.address();  // the name of the root group
  }
  root_ = block.address();
  if (version < 2) {
    if (const uint32_t kind = block.u32(); kind > kCachedGroup) {
      block.refuse("a root group of kind 0 or 1", str(kind));
    }
  }
  if (version >= 2) block.check_sum();
  // What stands before the superblock may have changed its size since.
  if (end < base || end - base > end_) {
    block.refuse(str("a file that ends at ", end),
                 str("one that is cut short at ", end_));
  }
  // Nothing in the file may be behind that.
  end_ = end - base;
}

void File::read(uint64_t address, std::span<char> to) const {
  if (!has(address, to.size())) {
    raise<IoError>(where(), ": expected ", to.size(), " bytes at ", address,
                   ", got a file that ends at ", end_);
  }
  source_.read(static_cast<int64_t>(base_ + address), to);
}

void Walk::take(uint64_t bytes) {
  if (bytes > bytes_left_) {
    raise<IoError>(where_,
                   ": expected structures that fit in the file together, got "
                   "more: they overlap, or form a cycle");
  }
  bytes_left_ -= bytes;
}

Cursor::Cursor(Walk& walk, std::string_view structure, uint64_t address)
    : walk_(&walk), structure_(structure), address_(address) {
  if (address_ >= walk.file().end()) {
    refuse("an address in the file",
           address_ == kNoAddress ? "none" : "one beyond its end");
  }
}

Cursor::Cursor(const Cursor& whole, std::string_view structure, uint64_t begin,
               uint64_t count)
    : walk_(whole.walk_),
      structure_(structure),
      address_(whole.address_ + begin),
      is_part_(true),
      bytes_(whole.bytes_, begin, count) {}

void Cursor::load(uint64_t count) {
  const uint64_t missing = count - left();
  const uint64_t available =
      is_part_ ? 0 : walk_->file().end() - address_ - bytes_.size();
  if (missing > available) {
    refuse(str(count, " more bytes"), str(left() + available));
  }
  const uint64_t old_size = bytes_.size();
  const uint64_t ahead = std::max<uint64_t>(old_size, kReadAhead);
  const uint64_t more = std::min(std::max(missing, ahead), available);
  bytes_.resize(old_size + more);
  walk_->file().read(address_ + old_size, std::span(bytes_).subspan(old_size));
}

std::span<const char> Cursor::bytes(uint64_t count) {
  if (count > left()) load(count);
  if (!is_part_) walk_->take(count);
  const auto result = std::span<const char>(bytes_).subspan(position_, count);
  position_ += count;
  return result;
}

uint64_t Cursor::number(int bytes) {
  return array::little_endian(this->bytes(static_cast<uint64_t>(bytes)));
}

uint64_t Cursor::address() {
  const int bytes = walk_->file().address_bytes();
  const uint64_t value = number(bytes);
  return value == kNoAddress >> (64 - 8 * bytes) ? kNoAddress : value;
}

uint64_t Cursor::length() { return number(walk_->file().length_bytes()); }

std::string Cursor::text() {
  std::string result;
  while (const char c = bytes(1)[0]) result += c;
  return result;
}

Cursor Cursor::part(std::string_view structure, uint64_t count) {
  skip(count);
  return Cursor(*this, structure, position_ - count, count);
}

Cursor Cursor::part_before(std::string_view structure, uint64_t begin,
                           uint64_t count) const {
  if (count > position_ || begin > position_ - count) {
    refuse(str(structure, " inside, of ", count, " bytes at ", begin),
           str("only ", position_, " bytes"));
  }
  return Cursor(*this, structure, begin, count);
}

void Cursor::expect_signature(std::string_view signature) {
  const std::span<const char> bytes = this->bytes(signature.size());
  const std::string_view actual(bytes.data(), bytes.size());
  if (actual != signature) {
    refuse(str("signature ", array::quote(signature)), array::quote(actual));
  }
}

int Cursor::version(std::initializer_list<int> supported) {
  const int version = u8();
  std::string expected;
  for (const int candidate : supported) {
    if (version == candidate) return version;
    expected += str(expected.empty() ? "version " : " or ", candidate);
  }
  refuse(expected, str(version));
}

void Cursor::check_sum() {
  const uint32_t actual = lookup3(before());
  const uint32_t expected = u32();
  if (actual != expected) {
    refuse(str("checksum ", expected), str(actual));
  }
}

void Cursor::refuse(std::string_view expected, std::string_view actual) const {
  raise<IoError>(walk_->where(), ": ", structure_, " at ", address_,
                 ": expected ", expected, ", got ", actual);
}

}  // namespace catena::serializers::hdf5
