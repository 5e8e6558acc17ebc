#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace catena::links {

// A binary tree whose leaves are words (nonnegative ids), written as nested
// pairs: BinaryTree{{0, 1}, {{2, 3}, 4}}.
class BinaryTree {
 public:
  BinaryTree(int64_t word) : word_(word) {}
  BinaryTree(BinaryTree left, BinaryTree right)
      : children_(std::make_shared<const std::pair<BinaryTree, BinaryTree>>(
            std::move(left), std::move(right))) {}

  bool is_leaf() const { return children_ == nullptr; }
  // For leaves.
  int64_t word() const { return word_; }
  // For inner nodes.
  const BinaryTree& left() const { return children_->first; }
  const BinaryTree& right() const { return children_->second; }

 private:
  int64_t word_ = -1;
  std::shared_ptr<const std::pair<BinaryTree, BinaryTree>> children_;
};

// "((0,1),((2,3),4))"
std::string to_string(const BinaryTree& tree);

// The Huffman tree, with short paths to frequent words (D. A. Huffman, 1952),
// from pairs of word and count; among equal counts, earlier words are merged
// first. Throws ValueError when there are no words, and for a negative count or
// a sum of counts that overflows int64.
BinaryTree create_huffman_tree(
    const std::vector<std::pair<int64_t, int64_t>>& word_counts);

}  // namespace catena::links
