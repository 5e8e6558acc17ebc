#include "catena/serializers/hdf5_object.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"

namespace catena::serializers::hdf5 {
namespace {

constexpr std::string_view kHeader = "object header";
constexpr std::string_view kContinuation = "continuation of an object header";
// A signature and a checksum.
constexpr uint64_t kContinuationFrame = 8;

// Flags of headers.
constexpr int kHasCreationOrder = 1 << 2;
constexpr int kHasAttributeLimits = 1 << 4;
constexpr int kHasTimes = 1 << 5;
constexpr int kFlags = 63;

// Flags of messages.
constexpr int kIsShared = 1 << 1;
constexpr int kMustBeKnown = 1 << 7;
// The first type that the specification does not name.
constexpr int kUnknownTypes = 0x19;

std::string_view name_of(MessageType type) {
  switch (type) {
    case MessageType::kDataspace:
      return "dataspace message";
    case MessageType::kLinkInfo:
      return "link info message";
    case MessageType::kDatatype:
      return "datatype message";
    case MessageType::kOldFillValue:
    case MessageType::kFillValue:
      return "fill value message";
    case MessageType::kLink:
      return "link message";
    case MessageType::kExternalFiles:
      return "external files message";
    case MessageType::kLayout:
      return "layout message";
    case MessageType::kFilters:
      return "filter message";
    case MessageType::kAttribute:
      return "attribute message";
    case MessageType::kContinuation:
      return "continuation message";
    case MessageType::kSymbolTable:
      return "symbol table message";
    case MessageType::kAttributeInfo:
      return "attribute info message";
    case MessageType::kReferences:
      return "message with the number of references";
  }
  return "";
}

// Flags that do not go together.
void check_flags(const Cursor& block, uint16_t type, int flags) {
  constexpr int kIsNeverShared = 1 << 2;
  constexpr int kFailsWriters = 1 << 3;
  constexpr int kIsMarked = 1 << 4;
  constexpr int kWasUnknown = 1 << 5;
  constexpr int kMayBeShared = 1 << 6;
  const auto has = [&](int some) { return (flags & some) == some; };
  if (has(kIsShared | kIsNeverShared) || has(kWasUnknown | kFailsWriters) ||
      (has(kWasUnknown) && !has(kIsMarked))) {
    block.refuse("flags of a message that go together", str(flags));
  }
  switch (static_cast<MessageType>(type)) {
    case MessageType::kDataspace:
    case MessageType::kDatatype:
    case MessageType::kOldFillValue:
    case MessageType::kFillValue:
    case MessageType::kFilters:
    case MessageType::kAttribute:
      return;
    default:
      if (type < kUnknownTypes && (has(kIsShared) || has(kMayBeShared))) {
        block.refuse("a message that may be shared", str("type ", type));
      }
  }
}

}  // namespace

ObjectHeader::ObjectHeader(Walk& walk, uint64_t address)
    : walk_(walk), address_(address) {
  if (address != kNoAddress && address == walk.file().extension()) {
    raise<IoError>(walk.where(), ": ", kHeader, " at ", address,
                   ": expected an object, got the superblock's extension");
  }
  read();
}

ObjectHeader ObjectHeader::extension(Walk& walk) {
  ObjectHeader header(walk);
  header.read();
  return header;
}

void ObjectHeader::read() {
  char first;
  Cursor header(walk_, kHeader, address_);
  walk_.file().read(address_, {&first, 1});
  if (first == 'O') {
    read_new(header);
  } else {
    read_old(header);
  }
}

void ObjectHeader::read_old(Cursor& header) {
  header.version({1});
  constexpr uint64_t kMessageHead = 8;
  header.skip(1);
  const int messages = header.u16();
  header.skip(4);  // the number of references
  const uint64_t bytes = header.u32();
  header.skip(4);  // so that messages are aligned
  if (messages == 0 ? bytes != 0 : bytes < kMessageHead) {
    header.refuse(str("room for ", messages, " messages"),
                  str(bytes, " bytes"));
  }
  read_messages(header.part(kHeader, bytes), true, 0);
  while (const auto block = next_block()) {
    Cursor continuation(walk_, kContinuation, block->address);
    read_messages(continuation.part(kContinuation, block->bytes), true, 0);
  }
}

void ObjectHeader::read_new(Cursor& header) {
  header.expect_signature("OHDR");
  header.version({2});
  const int flags = header.u8();
  if (flags > kFlags) header.refuse("flags up to 63", str(flags));
  if ((flags & kHasTimes) != 0) header.skip(16);
  if ((flags & kHasAttributeLimits) != 0) header.skip(4);
  const uint64_t bytes = header.number(1 << (flags & 3));
  const int order_bytes = (flags & kHasCreationOrder) != 0 ? 2 : 0;
  const Cursor first = header.part(kHeader, bytes);
  header.check_sum();
  read_messages(first, false, order_bytes);
  while (const auto block = next_block()) {
    Cursor continuation(walk_, kContinuation, block->address);
    continuation.expect_signature("OCHK");
    if (block->bytes < kContinuationFrame) {
      continuation.refuse("a checksum", str(block->bytes, " bytes"));
    }
    const Cursor rest =
        continuation.part(kContinuation, block->bytes - kContinuationFrame);
    continuation.check_sum();
    read_messages(rest, false, order_bytes);
  }
}

void ObjectHeader::read_messages(Cursor block, bool is_old, int order_bytes) {
  const uint64_t prefix = is_old ? 8 : 4 + static_cast<uint64_t>(order_bytes);
  // What is left at the end is a gap.
  while (block.left() >= prefix) {
    const auto type = static_cast<uint16_t>(block.number(is_old ? 2 : 1));
    const uint64_t bytes = block.u16();
    const int flags = block.u8();
    block.skip(is_old ? 3 : static_cast<uint64_t>(order_bytes));
    if (is_old && bytes % 8 != 0) {
      block.refuse("a message of a multiple of 8 bytes", str(bytes));
    }
    check_flags(block, type, flags);
    const std::string_view name = name_of(static_cast<MessageType>(type));
    add(type, flags, block.part(name.empty() ? "message" : name, bytes));
  }
}

void ObjectHeader::add(uint16_t type, int flags, const Cursor& body) {
  const auto known = static_cast<MessageType>(type);
  if (known == MessageType::kContinuation) {
    Cursor block = body;
    const uint64_t address = block.address();
    if (!continued_.insert(address).second) {
      block.refuse("another block", "one that was there before: a cycle");
    }
    blocks_.push_back({address, block.length()});
  } else if (known == MessageType::kReferences) {
    Cursor references = body;
    references.version({0});
    references.u32();
  } else if (!name_of(known).empty()) {
    messages_.push_back({known, (flags & kIsShared) != 0, body});
  } else if (type >= kUnknownTypes && (flags & kMustBeKnown) != 0) {
    raise<IoError>(walk_.where(), ": ", kHeader, " at ", address_,
                   ": expected messages that may be ignored, got one of type ",
                   type);
  }
}

std::optional<ObjectHeader::Block> ObjectHeader::next_block() {
  if (blocks_.empty()) return std::nullopt;
  const Block block = blocks_.back();
  blocks_.pop_back();
  return block;
}

Cursor ObjectHeader::resolve(const Message& message) const {
  if (!message.is_shared) return message.body;
  constexpr int kCommitted = 2;
  Cursor body = message.body;
  const int version = body.version({2, 3});
  const int place = body.u8();
  if (message.type != MessageType::kDatatype ||
      (version == 3 && place != kCommitted)) {
    body.refuse("a message in this header",
                "one that is shared with other objects");
  }
  const ObjectHeader committed(walk_, body.address());
  const auto found =
      std::find_if(committed.messages_.begin(), committed.messages_.end(),
                   [](const Message& candidate) {
                     return candidate.type == MessageType::kDatatype;
                   });
  if (found == committed.messages_.end() || found->is_shared) {
    body.refuse("the header of a committed datatype", "another one");
  }
  return found->body;
}

bool ObjectHeader::has(MessageType type) const {
  return std::any_of(
      messages_.begin(), messages_.end(),
      [&](const Message& message) { return message.type == type; });
}

std::optional<Cursor> ObjectHeader::find(MessageType type) const {
  for (const Message& message : messages_) {
    if (message.type == type) return resolve(message);
  }
  return std::nullopt;
}

Cursor ObjectHeader::get(MessageType type) const {
  if (auto message = find(type)) return *std::move(message);
  raise<IoError>(walk_.where(), ": ", kHeader, " at ", address_,
                 ": expected a ", name_of(type), ", got none");
}

std::vector<Cursor> ObjectHeader::all(MessageType type) const {
  std::vector<Cursor> result;
  for (const Message& message : messages_) {
    if (message.type == type) result.push_back(resolve(message));
  }
  return result;
}

}  // namespace catena::serializers::hdf5
