#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "catena/serializers/hdf5_format.h"

// Object headers: what a group or a dataset is, as a list of messages.
namespace catena::serializers::hdf5 {

// The messages that say something about links, arrays and text.
enum class MessageType : uint16_t {
  kDataspace = 0x01,
  kLinkInfo = 0x02,
  kDatatype = 0x03,
  kOldFillValue = 0x04,
  kFillValue = 0x05,
  kLink = 0x06,
  kExternalFiles = 0x07,
  kLayout = 0x08,
  kFilters = 0x0b,
  kAttribute = 0x0c,
  kContinuation = 0x10,
  kSymbolTable = 0x11,
  kAttributeInfo = 0x15,
  kReferences = 0x16,
};

// The header of an object in the file.
class ObjectHeader {
 public:
  // Throws IoError when it is damaged, has a message that only those may ignore
  // who know it, or is that of the superblock's extension, which no link and no
  // message refers to.
  ObjectHeader(Walk& walk, uint64_t address);
  // The header of the superblock's extension, which a file need not have.
  static ObjectHeader extension(Walk& walk);

  // Whether there is a message of this type.
  bool has(MessageType type) const;
  // The first message of this type, from where it is kept. Throws IoError when
  // that is neither here nor in the header of a committed datatype.
  std::optional<Cursor> find(MessageType type) const;
  // As find, but throws IoError when there is none.
  Cursor get(MessageType type) const;
  // All messages of this type, in order.
  std::vector<Cursor> all(MessageType type) const;

 private:
  struct Message {
    MessageType type;
    bool is_shared;
    Cursor body;
  };

  explicit ObjectHeader(Walk& walk)
      : walk_(walk), address_(walk.file().extension()) {}
  void read();
  void read_old(Cursor& header);
  void read_new(Cursor& header);
  // The messages of one block, each with `order_bytes` for its place in the
  // order of creation.
  void read_messages(Cursor block, bool is_old, int order_bytes);
  void add(uint16_t type, int flags, const Cursor& body);
  // The next block in which the header goes on.
  struct Block {
    uint64_t address;
    uint64_t bytes;
  };
  std::optional<Block> next_block();
  Cursor resolve(const Message& message) const;

  Walk& walk_;
  uint64_t address_;
  std::vector<Message> messages_;
  std::vector<Block> blocks_;     // those to be read
  std::set<uint64_t> continued_;  // the addresses of all of them
};

}  // namespace catena::serializers::hdf5
