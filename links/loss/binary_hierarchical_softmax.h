#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "catena/links/call_link.h"
#include "catena/links/link.h"
#include "catena/links/loss/binary_tree.h"

namespace catena::links {

// A hierarchical softmax loss, which predicts words by binary decisions at the
// inner nodes of a tree (F. Morin and Y. Bengio, 2005; T. Mikolov et al.,
// 2013):
//
//   loss = - sum over rows x and the nodes n on the path to the word t
//            of log sigmoid(sign x . W[n]),
//
// where the sign is 1 to the left and -1 to the right. Inner nodes are numbered
// in preorder, left subtree first.
class BinaryHierarchicalSoftmax : public Callable<BinaryHierarchicalSoftmax> {
 public:
  // Throws ValueError unless in_size is positive, the tree has at least two
  // leaves and their words are distinct and nonnegative.
  BinaryHierarchicalSoftmax(int64_t in_size, const BinaryTree& tree);

  // x is (N, in_size), t (N,), words of the tree; the result is 0-d. Throws
  // InvalidType when dtypes or shapes do not match, ValueError naming a word
  // that is not in the tree.
  Variable forward(const Variable& x, const Variable& t);

  // links::create_huffman_tree, as a static member like Chainer's.
  static BinaryTree create_huffman_tree(
      const std::vector<std::pair<int64_t, int64_t>>& word_counts) {
    return links::create_huffman_tree(word_counts);
  }

 private:
  // The path of each word, padded with -1 and 0 to the longest.
  struct Paths {
    explicit Paths(const BinaryTree& tree);
    int64_t nodes;  // number of inner nodes
    Array node;     // (words, length), int32
    Array sign;     // (words, length), float32
    bool has_gaps;  // whether some word ids have no leaf
  };
  // Throws ValueError for a word that has no leaf.
  Array checked_words(const Array& t) const;

  Paths paths_;

 public:
  Param W;  // (nodes, in_size), initially uniform in [-1, 1)
};

}  // namespace catena::links
