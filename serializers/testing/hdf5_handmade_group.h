#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catena/serializers/testing/hdf5_handmade.h"

// Files whose root group has its links in a tree and their names in a heap, as
// before HDF5 1.8.
namespace catena::serializers::handmade {

// Nodes with twice as many links and children.
inline std::string with_sizes(std::string bytes, uint64_t links,
                              uint64_t children) {
  return bytes.replace(16, 4, number(links, 2) + number(children, 2));
}
// A group whose header is followed by its tree and its heap.
inline constexpr uint64_t kTree = kRoot + 16 + 24;
inline std::string group(uint64_t heap, const std::string& rest) {
  return file(header(message(0x11, number(kTree, 8) + number(heap, 8))) + rest);
}
inline std::string tree_node(int level, const std::vector<uint64_t>& children) {
  std::string node =
      "TREE" + number(0, 1) + number(static_cast<uint64_t>(level), 1) +
      number(children.size(), 2) + number(kNone, 8) + number(kNone, 8);
  for (const uint64_t child : children) {
    node += number(0, 8) + number(child, 8);
  }
  return node + number(0, 8);
}
inline std::string heap(uint64_t bytes, uint64_t data) {
  return "HEAP" + number(0, 4) + number(bytes, 8) + number(1, 8) +
         number(data, 8);
}
inline constexpr uint64_t kHeapBytes = 32;

// A group whose tree has one node.
struct GroupNames {
  std::vector<std::string> names = {"a", "b"};
  // The places in `names` of the first and the last key; -1 is before them.
  int first = -1;
  int last = 1;
  uint64_t kind = 0;
  uint64_t free = 1;
  std::string free_place = {};
};
inline std::string group_of(const GroupNames& group_names) {
  const auto& names = group_names.names;
  // The name at 0 has no characters.
  const auto place = [](int i) {
    return number(8 * static_cast<uint64_t>(i + 1), 8);
  };
  std::string tree = tree_node(0, {kTree + 24 + 16 + 8});
  tree.replace(24, 8, place(group_names.first));
  tree.replace(24 + 16, 8, place(group_names.last));
  std::string node = "SNOD" + number(1, 2) + number(names.size(), 2);
  std::string data(8, '\0');
  for (size_t i = 0; i < names.size(); ++i) {
    node += place(static_cast<int>(i)) + number(kRoot, 8) +
            number(group_names.kind, 4) + number(0, 20);
    data += names[i] + std::string(8 - names[i].size(), '\0');
  }
  data += group_names.free_place;
  const uint64_t at = kTree + tree.size() + node.size();
  std::string local = heap(data.size(), at + kHeapBytes);
  local.replace(16, 8, number(group_names.free, 8));
  return group(at, tree + node + local + data);
}

}  // namespace catena::serializers::handmade
