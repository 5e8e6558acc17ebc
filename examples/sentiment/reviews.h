#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Made-up film reviews as trees (treebank.h), with labels from 0, very bad, to
// 4, very good.
//
// The label of a phrase follows from those of its parts, and the order of words
// matters: "really not good" is worse than "not really good". So does the tree:
// in "A although B but C", where "A although B" is like A and "B but C" is like
// C, the parentheses decide between A and C.
namespace catena::examples {

constexpr int kReviewLabels = 5;

// The same reviews for the same seed, all of them different.
std::vector<std::string> make_reviews(int64_t count, uint64_t seed);

}  // namespace catena::examples
