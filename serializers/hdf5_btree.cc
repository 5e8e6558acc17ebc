#include "catena/serializers/hdf5_btree.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"

namespace catena::serializers::hdf5 {
namespace {

constexpr int kChunks = 1;  // the type of trees of version 1 for chunks

class Tree1 {
 public:
  Tree1(Walk& walk, int type, uint64_t key_bytes, VisitChild visit)
      : walk_(walk),
        type_(type),
        half_(type == kChunks ? walk.file().node_sizes().chunks
                              : walk.file().node_sizes().group),
        key_bytes_(key_bytes),
        visit_(visit) {}

  // The levels below must have one number less each, so that this ends.
  void read(uint64_t address, int level = kAnyLevel) const {
    Cursor node(walk_, "B-tree node", address);
    if (half_ != 0) expect_room(node, address);
    node.expect_signature("TREE");
    const int type = node.u8();
    if (type != type_) node.refuse(str("type ", type_), str(type));
    const int actual = node.u8();
    if (level != kAnyLevel && actual != level) {
      node.refuse(str("level ", level), str(actual));
    }
    const uint64_t entries = node.u16();
    if (half_ != 0 && entries > 2 * half_) {
      node.refuse(str("at most ", 2 * half_, " children"), str(entries));
    }
    node.address();  // the node to the left
    node.address();  // the node to the right
    Cursor before = node.part("B-tree key", key_bytes_);
    for (uint64_t i = 0; i < entries; ++i) {
      const uint64_t child = node.address();
      Cursor behind = node.part("B-tree key", key_bytes_);
      if (actual > 0) {
        read(child, actual - 1);
      } else {
        visit_(before, child, behind);
      }
      before = std::move(behind);
    }
  }

 private:
  static constexpr int kAnyLevel = -1;

  // Nodes have room for all children that there may be.
  void expect_room(const Cursor& node, uint64_t address) const {
    const auto pointer = static_cast<uint64_t>(walk_.file().address_bytes());
    const uint64_t bytes =
        8 + 2 * pointer + 2 * half_ * (pointer + key_bytes_) + key_bytes_;
    if (!walk_.file().has(address, bytes)) {
      node.refuse(str("a node of ", bytes, " bytes"),
                  str("a file that ends at ", walk_.file().end()));
    }
  }

  Walk& walk_;
  int type_;
  uint64_t half_;  // of the children that a node may have; 0: unknown
  uint64_t key_bytes_;
  VisitChild visit_;
};

class Tree2 {
 public:
  using Visit = absl::FunctionRef<void(Cursor& record)>;
  Tree2(Walk& walk, int type, Visit visit)
      : walk_(walk), type_(type), visit_(visit) {}

  void read(uint64_t address) {
    Cursor header(walk_, "B-tree header", address);
    expect_head(header, "BTHD");
    node_bytes_ = header.u32();
    record_bytes_ = header.u16();
    const int depth = header.u16();
    header.skip(2);  // when nodes are split and merged
    const uint64_t root = header.address();
    const uint64_t records = header.u16();
    header.length();  // all records
    header.check_sum();
    if (record_bytes_ == 0) header.refuse("records of at least 1 byte", "0");
    lay_out(header, node_bytes_, depth);
    if (records > 0) read_node(root, depth, records);
  }

 private:
  static constexpr uint64_t kFrame = 10;  // signature, version, type, checksum

  // The nodes of one level, counted from the leaves.
  struct Level {
    uint64_t max_records;     // of one node
    int record_count_bytes;   // of the number of records of a child
    int subtree_count_bytes;  // of the number of all records below it
  };

  void expect_head(Cursor& cursor, std::string_view signature) const {
    cursor.expect_signature(signature);
    cursor.version({0});
    const int type = cursor.u8();
    if (type != type_) cursor.refuse(str("type ", type_), str(type));
  }

  // The sizes of fields follow from the largest numbers that fit a node.
  void lay_out(const Cursor& header, uint64_t node_bytes, int depth) {
    const uint64_t room = node_bytes - std::min(node_bytes, kFrame);
    levels_ = {{room / record_bytes_, 0, 0}};
    const int record_count_bytes = bytes_for(levels_[0].max_records);
    // One more than the records of a subtree.
    uint64_t below = levels_[0].max_records + 1;
    for (int i = 1; i <= depth; ++i) {
      const int subtree_count_bytes = i == 1 ? 0 : bytes_for(below - 1);
      const auto pointer =
          static_cast<uint64_t>(walk_.file().address_bytes() +
                                record_count_bytes + subtree_count_bytes);
      const uint64_t records =
          (room - std::min(room, pointer)) / (record_bytes_ + pointer);
      if (records == 0 || __builtin_mul_overflow(below, records + 1, &below)) {
        header.refuse("a depth that suits the size of nodes", str(depth));
      }
      levels_.push_back({records, record_count_bytes, subtree_count_bytes});
    }
  }

  void read_node(uint64_t address, int depth, uint64_t records) const {
    const Level& level = levels_[static_cast<size_t>(depth)];
    Cursor node(walk_, depth == 0 ? "B-tree leaf" : "B-tree node", address);
    expect_head(node, depth == 0 ? "BTLF" : "BTIN");
    if (!walk_.file().has(address, node_bytes_)) {
      node.refuse(str("a node of ", node_bytes_, " bytes"),
                  str("a file that ends at ", walk_.file().end()));
    }
    if (records > level.max_records) {
      node.refuse(str("at most ", level.max_records, " records"), str(records));
    }
    std::vector<Cursor> parts;
    for (uint64_t i = 0; i < records; ++i) {
      parts.push_back(node.part("B-tree record", record_bytes_));
    }
    struct Child {
      uint64_t address;
      uint64_t records;
    };
    std::vector<Child> children;
    for (uint64_t i = 0; depth > 0 && i <= records; ++i) {
      const uint64_t child = node.address();
      children.push_back({child, node.number(level.record_count_bytes)});
      node.number(level.subtree_count_bytes);
    }
    node.check_sum();
    // Between two children is a record.
    for (size_t i = 0; i <= records; ++i) {
      if (depth > 0) {
        read_node(children[i].address, depth - 1, children[i].records);
      }
      if (i < records) visit_(parts[i]);
    }
  }

  Walk& walk_;
  int type_;
  Visit visit_;
  uint64_t node_bytes_ = 0;
  uint64_t record_bytes_ = 0;
  std::vector<Level> levels_;
};

}  // namespace

void for_each_child(Walk& walk, uint64_t address, int type, uint64_t key_bytes,
                    VisitChild visit) {
  Tree1(walk, type, key_bytes, visit).read(address);
}

void for_each_record(Walk& walk, uint64_t address, int type,
                     absl::FunctionRef<void(Cursor& record)> visit) {
  Tree2(walk, type, visit).read(address);
}

}  // namespace catena::serializers::hdf5
