#include "catena/serializers/hdf5_groups.h"

#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/serializers/hdf5_btree.h"
#include "catena/serializers/hdf5_checksums.h"
#include "catena/serializers/hdf5_heaps.h"

namespace catena::serializers::hdf5 {
namespace {

// The types of B-trees.
constexpr int kOldGroup = 0;    // of version 1
constexpr int kLinkNames = 5;   // of version 2
constexpr int kAttributes = 8;  // of version 2

// Returns the name.
const std::string& add(Links& links, std::string name, const Link& link,
                       const Cursor& where) {
  const auto [place, is_new] = links.emplace(std::move(name), link);
  if (!is_new) {
    where.refuse("links of different names",
                 str("two links ", array::quote(place->first)));
  }
  return place->first;
}

// A node of a group in the format before HDF5 1.8. Its names are in order, and
// between the keys around the node: what looks a name up would not find it
// elsewhere.
void add_symbols(Walk& walk, uint64_t address, std::string last,
                 const std::string& largest, LocalHeap& names, Links& links) {
  constexpr uint32_t kIsSoft = 2;
  Cursor node(walk, "symbol table node", address);
  node.expect_signature("SNOD");
  node.version({1});
  node.skip(1);
  const uint64_t symbols = node.u16();
  if (const uint64_t half = walk.file().node_sizes().links; half != 0) {
    // What is known of a link.
    const auto entry = static_cast<uint64_t>(walk.file().length_bytes() +
                                             walk.file().address_bytes() + 24);
    if (symbols > 2 * half || !walk.file().has(address, 8 + 2 * half * entry)) {
      node.refuse(str("a node with room for ", 2 * half, " links"),
                  str(symbols, " links, or the end of the file"));
    }
  }
  for (uint64_t i = 0; i < symbols; ++i) {
    // An address in the format's terms, but relative to the heap.
    const uint64_t name = node.address();
    const uint64_t object = node.address();
    const uint32_t kind = node.u32();
    if (kind > kIsSoft) node.refuse("a link of kind 0 to 2", str(kind));
    node.skip(20);  // copies of what is in the object's header
    std::string text = names.name(name);
    if (text <= last || text > largest) {
      node.refuse("names in order", array::quote(text));
    }
    last = text;
    add(links, std::move(text), {.is_hard = kind != kIsSoft, .address = object},
        node);
  }
}

// Returns its name.
const std::string& add_link(Cursor message, Links& links) {
  constexpr int kHasOrder = 1 << 2;
  constexpr int kHasType = 1 << 3;
  constexpr int kHasCharacterSet = 1 << 4;
  constexpr int kHard = 0, kSoft = 1, kFirstOfUsers = 64;
  constexpr int kEncodings = 2, kFlags = 0x1f;
  message.version({1});
  const int flags = message.u8();
  if (flags > kFlags) message.refuse("flags up to 31", str(flags));
  const int type = (flags & kHasType) != 0 ? message.u8() : kHard;
  if (type > kSoft && type < kFirstOfUsers) {
    message.refuse("a link of type 0, 1 or above 63", str(type));
  }
  if ((flags & kHasOrder) != 0) message.skip(8);
  const int encoding = (flags & kHasCharacterSet) != 0 ? message.u8() : 0;
  if (encoding >= kEncodings) {
    message.refuse("a name in encoding 0 or 1", str(encoding));
  }
  const uint64_t name_bytes = message.number(1 << (flags & 3));
  if (name_bytes == 0) message.refuse("a name", "none");
  const std::span<const char> name = message.bytes(name_bytes);
  std::string key(name.begin(), name.end());
  // Who reads names up to their zero takes this for another one.
  if (const size_t zero = key.find('\0'); zero != std::string::npos) {
    message.refuse(str("a name of ", name_bytes, " characters"),
                   str("a zero behind ", zero));
  }
  Link link = {.is_hard = type == kHard};
  if (link.is_hard) {
    link.address = message.address();
  } else {
    const uint64_t bytes = message.u16();
    if (type == kSoft && bytes == 0) message.refuse("a path", "none");
    message.skip(bytes);
  }
  return add(links, std::move(key), link, message);
}

// Where links and attributes are when an object has many of them.
struct DenseStorage {
  uint64_t heap;
  uint64_t names;
};

// The rest of a link or attribute info message, behind its flags.
DenseStorage read_dense_storage(Cursor& message, uint64_t order_bytes) {
  constexpr int kTracksOrder = 1 << 0, kFlags = 3;
  message.version({0});
  const int flags = message.u8();
  if (flags > kFlags) message.refuse("flags up to 3", str(flags));
  if ((flags & kTracksOrder) != 0) message.skip(order_bytes);
  const uint64_t heap = message.address();
  return {heap, message.address()};
}

}  // namespace

bool is_group(const ObjectHeader& object) {
  return object.has(MessageType::kSymbolTable) ||
         object.has(MessageType::kLinkInfo);
}

Links read_links(Walk& walk, const ObjectHeader& group) {
  Links links;
  if (auto table = group.find(MessageType::kSymbolTable)) {
    const uint64_t tree = table->address();
    LocalHeap names(walk, table->address());
    for_each_child(walk, tree, kOldGroup,
                   static_cast<uint64_t>(walk.file().length_bytes()),
                   [&](Cursor before, uint64_t node, Cursor behind) {
                     add_symbols(walk, node, names.key(before.length()),
                                 names.key(behind.length()), names, links);
                   });
  }
  for (const Cursor& message : group.all(MessageType::kLink)) {
    add_link(message, links);
  }
  if (auto info = group.find(MessageType::kLinkInfo)) {
    const DenseStorage dense = read_dense_storage(*info, 8);
    if (dense.heap != kNoAddress) {
      FractalHeap heap(walk, dense.heap);
      uint32_t last = 0;
      for_each_record(walk, dense.names, kLinkNames, [&](Cursor& record) {
        const uint32_t hash = record.u32();
        const std::string& name =
            add_link(heap.object(record.part("heap ID", heap.id_bytes()),
                                 "link message"),
                     links);
        if (hash != lookup3(name) || hash < last) {
          record.refuse("names in the order of their hashes",
                        array::quote(name));
        }
        last = hash;
      });
    }
  }
  return links;
}

std::optional<Attribute> find_attribute(Walk& walk, const ObjectHeader& object,
                                        std::string_view name) {
  for (const Cursor& message : object.all(MessageType::kAttribute)) {
    if (auto attribute = read_attribute(message, name)) return attribute;
  }
  std::optional<Attribute> found;
  if (auto info = object.find(MessageType::kAttributeInfo)) {
    const DenseStorage dense = read_dense_storage(*info, 2);
    if (dense.heap == kNoAddress) return std::nullopt;
    FractalHeap heap(walk, dense.heap);
    const uint32_t hash = lookup3(name);
    for_each_record(walk, dense.names, kAttributes, [&](Cursor& record) {
      constexpr int kIsShared = 1 << 1;
      const Cursor id = record.part("heap ID", heap.id_bytes());
      const int flags = record.u8();
      record.skip(4);  // its place in the order of creation
      if (record.u32() != hash) return;
      if ((flags & kIsShared) != 0) {
        record.refuse("an attribute of this object", "a shared one");
      }
      if (auto attribute =
              read_attribute(heap.object(id, "attribute message"), name)) {
        found = std::move(attribute);
      }
    });
  }
  return found;
}

}  // namespace catena::serializers::hdf5
