// Losses that choose among many words: NegativeSampling, BlackOut and
// BinaryHierarchicalSoftmax.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/loss/binary_hierarchical_softmax.h"
#include "catena/links/loss/black_out.h"
#include "catena/links/loss/negative_sampling.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

class WordLossTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, WordLossTest,
                         ::catena::testing::every_device(),
                         ::catena::testing::device_name);

std::vector<int64_t> counts_of(const GoldenCase& golden) {
  return golden.array("attr/counts").to_vector<int64_t>();
}

// The tree that a text like "((0,1),2)" stands for.
BinaryTree parse_tree(const std::string& text, size_t& at) {
  if (text[at] != '(') {
    size_t length = 0;
    const int64_t word = std::stoll(text.substr(at), &length);
    at += length;
    return word;
  }
  const BinaryTree left = parse_tree(text, ++at);
  const BinaryTree right = parse_tree(text, ++at);
  ++at;
  return {left, right};
}

// chainer 7.8.1
TEST_P(WordLossTest, BlackOutFollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/BlackOut")) {
    SCOPED_TRACE(golden.name());
    BlackOut link(golden.attr<int64_t>("in_size"), counts_of(golden),
                  golden.attr<int64_t>("sample_size"));
    link.sample_data = golden.array("attr/sample_data");
    ::catena::testing::set_golden_params(link, golden);
    ::catena::testing::expect_golden_call(
        link, golden,
        [&](const Variables& in) -> Variables { return {link(in[0], in[1])}; });
  }
}

TEST_P(WordLossTest, BinaryHierarchicalSoftmaxFollowsChainer) {
  for (const GoldenCase& golden :
       golden_cases("links/BinaryHierarchicalSoftmax")) {
    SCOPED_TRACE(golden.name());
    size_t at = 0;
    const std::string text = golden.attr<std::string>("tree");
    const BinaryTree tree = parse_tree(text, at);
    ASSERT_EQ(to_string(tree), text);
    if (golden.has_attr("counts")) {
      std::vector<std::pair<int64_t, int64_t>> word_counts;
      for (const int64_t count : counts_of(golden)) {
        word_counts.emplace_back(word_counts.size(), count);
      }
      EXPECT_EQ(to_string(BinaryHierarchicalSoftmax::create_huffman_tree(
                    word_counts)),
                text);
    }
    BinaryHierarchicalSoftmax link(golden.attr<int64_t>("in_size"), tree);
    ::catena::testing::set_golden_params(link, golden);
    ::catena::testing::expect_golden_call(
        link, golden,
        [&](const Variables& in) -> Variables { return {link(in[0], in[1])}; });
  }
}

// With W 0 each of the decisions costs log 2.
TEST_P(WordLossTest, NegativeSamplingDrawsByTheCounts) {
  NegativeSampling link(3, {10, 0, 1, 5}, 4);
  EXPECT_EQ(link.W.shape(), Shape({4, 3}));
  const Variable x(array::ones({200, 3}, Dtype::kFloat32));
  const Variable t(array::zeros({200}, Dtype::kInt32));
  const Variable loss = link(x, t);
  EXPECT_THAT(
      loss.data(),
      IsClose(
          array::array(200 * 5 * 0.6931471805599453).astype(Dtype::kFloat32)));
  loss.backward();
  const std::vector<float> gW = link.W.grad().to_vector<float>();
  EXPECT_EQ(gW[3], 0);             // word 1 never occurs
  EXPECT_GT(gW[6], 0);             // sampled
  EXPECT_GT(gW[9], 1.5f * gW[6]);  // 5^0.75 times as often
  EXPECT_EQ(link(x, t, {.reduce = "no"}).shape(), Shape({200}));
}

TEST_P(WordLossTest, BlackOutDrawsSamplesOfItsOwn) {
  BlackOut link(3, {10, 0, 1}, 4);
  const Variable x(array::ones({200, 3}, Dtype::kFloat32));
  link(x, Variable(array::zeros({200}, Dtype::kInt32))).backward();
  const std::vector<float> gW = link.W.grad().to_vector<float>();
  EXPECT_EQ(gW[3], 0);
  EXPECT_NE(gW[6], 0);
}

TEST_P(WordLossTest, CopiesOfALinkAreIndependent) {
  BinaryHierarchicalSoftmax link(2, {{0, 2}, 5});  // words may be left out
  BinaryHierarchicalSoftmax copied = link;
  copied.W.data().fill(0);
  const Variable x(array::ones({3, 2}, Dtype::kFloat32));
  const Variable t(array::array({0, 5, 2}).astype(Dtype::kInt32));
  EXPECT_THAT(
      copied(x, t).data(),
      IsClose(array::array(5 * 0.6931471805599453).astype(Dtype::kFloat32)));
  EXPECT_NE(link.W.data().to_vector<float>()[0], 0);
}

TEST(WordLossErrorTest, NamesWhatItRejects) {
  const auto rejects = [](const auto& call, std::string_view text) {
    EXPECT_THAT(error_of<ValueError>(call), HasSubstr(std::string(text)));
  };
  rejects([] { NegativeSampling(0, {1}, 1); },
          "NegativeSampling: expected positive sizes and a count for each "
          "word, got in_size 0, 1 counts and sample_size 1");
  rejects([] { BlackOut(2, {}, 1); }, "BlackOut: expected positive sizes");
  rejects([] { NegativeSampling(2, {1, 2}, 0); }, "sample_size 0");
  rejects([] { NegativeSampling(2, {0, 0}, 1); }, "WalkerAlias");
  rejects(
      [] {
        BinaryHierarchicalSoftmax(0, {0, 1});
      },
      "BinaryHierarchicalSoftmax: expected a positive in_size, got 0");
  rejects([] { BinaryHierarchicalSoftmax(1, BinaryTree(3)); },
          "expected a tree with at least two leaves, got 3");
  rejects(
      [] {
        BinaryHierarchicalSoftmax(1, {{0, 1}, 1});
      },
      "expected distinct words, got 1 twice");
  rejects([] { BinaryHierarchicalSoftmax(1, {0, -1}); }, "got -1");
  rejects([] { create_huffman_tree({}); }, "expected at least one word");

  BinaryHierarchicalSoftmax link(2, {{0, 2}, 5});
  const Variable x(array::ones({1, 2}, Dtype::kFloat32));
  const auto word = [](int64_t word) {
    return Variable(array::full({1}, word, Dtype::kInt32));
  };
  rejects([&] { link(x, word(6)); }, "expected labels from 0 to 5, got 6");
  rejects([&] { link(x, word(3)); }, "expected words in the tree, got 3");
  EXPECT_THAT(error_of<InvalidType>([&] { link(x, x); }),
              HasSubstr("Expect: t.dtype is an integer"));
}

TEST(BinaryTreeTest, HuffmanTreesHaveTheShortestPathsToFrequentWords) {
  EXPECT_EQ(to_string(create_huffman_tree({{0, 8}, {1, 5}, {2, 6}, {3, 4}})),
            "((3,1),(2,0))");
  EXPECT_EQ(to_string(create_huffman_tree({{7, 3}})), "7");
  EXPECT_EQ(to_string(create_huffman_tree({{1, 1}, {2, 1}, {3, 1}})),
            "(3,(1,2))");
}

}  // namespace
}  // namespace catena::links
