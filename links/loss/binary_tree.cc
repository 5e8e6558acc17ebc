#include "catena/links/loss/binary_tree.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "catena/array/core/error.h"

namespace catena::links {

std::string to_string(const BinaryTree& tree) {
  if (tree.is_leaf()) return std::to_string(tree.word());
  return "(" + to_string(tree.left()) + "," + to_string(tree.right()) + ")";
}

BinaryTree create_huffman_tree(
    const std::vector<std::pair<int64_t, int64_t>>& word_counts) {
  if (word_counts.empty()) {
    raise<ValueError>("create_huffman_tree: expected at least one word");
  }
  // The rarest first; on ties, the one with the first word.
  struct Entry {
    int64_t count;
    size_t first;
    BinaryTree tree;
    bool operator>(const Entry& other) const {
      return std::tie(count, first) > std::tie(other.count, other.first);
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> entries;
  for (size_t i = 0; i < word_counts.size(); ++i) {
    if (word_counts[i].second < 0) {
      raise<ValueError>("create_huffman_tree: expected counts of at least 0, ",
                        "got ", word_counts[i].second, " of word ",
                        word_counts[i].first);
    }
    entries.push({word_counts[i].second, i, word_counts[i].first});
  }
  while (entries.size() > 1) {
    const Entry a = entries.top();
    entries.pop();
    const Entry b = entries.top();
    entries.pop();
    int64_t count = 0;
    if (__builtin_add_overflow(a.count, b.count, &count)) {
      raise<ValueError>("create_huffman_tree: expected counts whose sum is ",
                        "below 2^63");
    }
    entries.push(
        {count, std::min(a.first, b.first), BinaryTree(a.tree, b.tree)});
  }
  return entries.top().tree;
}

}  // namespace catena::links
