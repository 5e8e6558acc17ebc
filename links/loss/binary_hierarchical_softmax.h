#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "catena/links/call_link.h"
#include "catena/links/link.h"
#include "catena/links/loss/binary_tree.h"

namespace catena::links {

// Words as a walk down a binary tree, with a decision at each inner node (F.
// Morin and Y. Bengio, 2005; T. Mikolov et al., 2013):
//
//   loss = - sum over rows x and the nodes n on the path to the word t
//            of log sigmoid(sign x . W[n]),
//
// where the sign is 1 to the left and -1 to the right. Inner nodes are numbered
// from the root, those of a left subtree before those of the right one.
class BinaryHierarchicalSoftmax : public Link {
 public:
  // ValueError unless in_size is positive, the tree has two leaves or more and
  // their words are different and not negative.
  BinaryHierarchicalSoftmax(int64_t in_size, const BinaryTree& tree);

  // x is (N, in_size), t (N,), words of the tree; the result is 0-d.
  // InvalidType when dtypes or shapes do not fit, ValueError naming a word that
  // the tree does not have.
  Variable forward(const Variable& x, const Variable& t);
  Variable operator()(const Variable& x, const Variable& t) {
    return call_link(*this, x, t);
  }

  // links::create_huffman_tree, as Chainer has it.
  static BinaryTree create_huffman_tree(
      const std::vector<std::pair<int64_t, int64_t>>& word_counts) {
    return links::create_huffman_tree(word_counts);
  }

 private:
  // The path of each word, padded with -1 and 0 to the longest.
  struct Paths {
    explicit Paths(const BinaryTree& tree);
    int64_t nodes;  // how many inner ones there are
    Array node;     // (words, length), int32
    Array sign;     // (words, length), float32
    bool has_gaps;  // words of no leaf
  };
  void check_words(const Array& t) const;

  Paths paths_;

 public:
  Param W;  // (nodes, in_size), uniform in [-1, 1) at first
};

}  // namespace catena::links
