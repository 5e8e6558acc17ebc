#include "catena/links/loss/binary_hierarchical_softmax.h"

#include <algorithm>
#include <limits>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/take.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"
#include "catena/functions/loss/internal/indexed_dot.h"
#include "catena/functions/loss/internal/labels.h"
#include "catena/functions/loss/internal/logit_losses.h"
#include "catena/functions/math/sum.h"
#include "catena/links/initializers/initializers.h"

namespace catena::links {
namespace {

constexpr std::string_view kName = "BinaryHierarchicalSoftmax";

// A word with its ancestor nodes and the direction taken at each.
struct Walk {
  int64_t word;
  std::vector<int32_t> nodes;
  std::vector<float> signs;
};

// All words, with inner nodes numbered in the order visited.
std::vector<Walk> walks_of(const BinaryTree& root, int64_t& nodes) {
  struct Pending {
    BinaryTree tree;
    Walk above;
  };
  std::vector<Walk> walks;
  std::vector<Pending> pending = {{root, {}}};
  nodes = 0;
  while (!pending.empty()) {
    Pending next = std::move(pending.back());
    pending.pop_back();
    if (next.tree.is_leaf()) {
      next.above.word = next.tree.word();
      walks.push_back(std::move(next.above));
      continue;
    }
    next.above.nodes.push_back(static_cast<int32_t>(nodes++));
    next.above.signs.push_back(-1);
    pending.push_back({next.tree.right(), next.above});
    next.above.signs.back() = 1;
    pending.push_back({next.tree.left(), std::move(next.above)});
  }
  return walks;
}

Shape weight_shape(int64_t nodes, int64_t in_size) {
  if (in_size <= 0) {
    raise<ValueError>(kName, ": expected a positive in_size, got ", in_size);
  }
  return {nodes, in_size};
}

}  // namespace

BinaryHierarchicalSoftmax::Paths::Paths(const BinaryTree& tree) try {
  const std::vector<Walk> walks = walks_of(tree, nodes);
  if (nodes == 0) {
    raise<ValueError>(kName, ": expected a tree with at least two leaves, got ",
                      to_string(tree));
  }
  int64_t words = 0;
  size_t length = 0;
  for (const Walk& walk : walks) {
    if (walk.word < 0) {
      raise<ValueError>(kName, ": expected nonnegative words, got ", walk.word);
    }
    if (walk.word >= std::numeric_limits<int32_t>::max()) {
      raise<ValueError>(kName, ": expected words below 2^31 - 1, got ",
                        walk.word);
    }
    words = std::max(words, walk.word + 1);
    length = std::max(length, walk.nodes.size());
  }
  std::vector<int32_t> node(words * length, -1);
  std::vector<float> sign(words * length, 0);
  for (const Walk& walk : walks) {
    const size_t first = walk.word * length;
    if (node[first] >= 0) {
      raise<ValueError>(kName, ": expected distinct words, got ", walk.word,
                        " twice");
    }
    std::copy(walk.nodes.begin(), walk.nodes.end(), node.begin() + first);
    std::copy(walk.signs.begin(), walk.signs.end(), sign.begin() + first);
  }
  const Shape shape{words, static_cast<int64_t>(length)};
  this->node = array::array(node, shape);
  this->sign = array::array(sign, shape);
  has_gaps = words != static_cast<int64_t>(walks.size());
} catch (const std::bad_alloc&) {
  raise_out_of_memory(kName);
}

BinaryHierarchicalSoftmax::BinaryHierarchicalSoftmax(int64_t in_size,
                                                     const BinaryTree& tree)
    : paths_(tree),
      W(this, "W", initializers::Uniform(1),
        weight_shape(paths_.nodes, in_size)) {}

Array BinaryHierarchicalSoftmax::checked_words(const Array& t) const {
  const Array words =
      functions::CheckedLabels(t, paths_.node.shape()[0], std::nullopt, kName)
          .array();
  if (!paths_.has_gaps) return words;
  const std::vector<int32_t> first =
      paths_.node[{Slice(), 0}].to_vector<int32_t>();
  for (const int64_t word : words.to_vector<int64_t>()) {
    if (first[word] < 0) {
      raise<ValueError>(kName, ": expected words in the tree, got ", word);
    }
  }
  return words;
}

Variable BinaryHierarchicalSoftmax::forward(const Variable& x,
                                            const Variable& t) {
  if (config().type_check) {
    const VariableRef inputs[] = {x, t};
    TypeCheck in(kName, inputs);
    const auto [row, word] = in.names<2>({"x", "t"});
    in.expect_floating(row);
    in.expect_integral(word);
    in.expect(row.ndim() == type_check::Term(2),
              word.ndim() == type_check::Term(1));
    in.expect(row.shape(0) == word.shape(0));
  }
  paths_.node = paths_.node.to_device(x.device());
  paths_.sign = paths_.sign.to_device(x.device());
  const Array words = checked_words(t.data());
  const array::TakeOptions rows = {.axis = 0, .mode = array::IndexMode::kClip};
  const Array nodes = array::take(paths_.node, words, rows);
  const Array signs = array::take(paths_.sign, words, rows);
  return functions::sum(functions::logit_losses(
      functions::indexed_dot(x, W, nodes, kName), signs));
}

}  // namespace catena::links
