#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace catena::links {

// A binary tree with words, numbers from 0, at its leaves: nested pairs, as in
// BinaryTree{{0, 1}, {{2, 3}, 4}}.
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

// The tree with the shortest paths to words that occur often (D. A. Huffman,
// 1952), of words and how often each occurs; of equal counts, words that come
// first are joined first. ValueError when there is no word.
BinaryTree create_huffman_tree(
    const std::vector<std::pair<int64_t, int64_t>>& word_counts);

}  // namespace catena::links
