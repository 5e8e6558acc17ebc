#include "catena/examples/sentiment/reviews.h"

#include <array>
#include <random>
#include <set>

#include "catena/array/core/error.h"

namespace catena::examples {
namespace {

struct Phrase {
  int label;
  std::string text;
};

// A word that changes the label of the phrase after it.
struct Modifier {
  const char* word;
  std::array<int, 5> label;  // by the label of the phrase
};

constexpr int kNeutral = 2;
constexpr const char* kSubjects[] = {"film",  "plot",   "cast",   "music",
                                     "story", "ending", "script", "humor"};
constexpr const char* kVerbs[] = {"is", "was", "seems", "looks"};
constexpr std::array<const char*, 4> kAdjectives[5] = {
    {"awful", "terrible", "dreadful", "hideous"},
    {"bad", "dull", "weak", "clumsy"},
    {"ordinary", "plain", "usual", "average"},
    {"good", "nice", "funny", "clever"},
    {"superb", "brilliant", "wonderful", "perfect"}};
constexpr Modifier kNegations[] = {{"not", {3, 3, 2, 1, 1}},
                                   {"hardly", {3, 3, 2, 1, 1}}};
constexpr Modifier kDegrees[] = {{"very", {0, 0, 2, 4, 4}},
                                 {"really", {0, 0, 2, 4, 4}},
                                 {"rather", {1, 1, 2, 3, 3}},
                                 {"slightly", {1, 1, 2, 3, 3}}};

class ReviewWriter {
 public:
  explicit ReviewWriter(uint64_t seed) : random_(seed) {}

  // A sentence of one to four clauses.
  Phrase review() { return clauses(1 + below(4)); }

 private:
  int below(int n) { return static_cast<int>(random_() % n); }
  template <class List>
  const auto& pick(const List& list) {
    return list[below(static_cast<int>(std::size(list)))];
  }

  static Phrase word(const char* word, int label = kNeutral) {
    return {label, str("(", label, " ", word, ")")};
  }
  static Phrase pair(int label, const Phrase& left, const Phrase& right) {
    return {label, str("(", label, " ", left.text, " ", right.text, ")")};
  }

  Phrase clauses(int count) {
    if (count == 1) return clause();
    const int of_left = 1 + below(count - 1);
    const Phrase left = clauses(of_left);
    const Phrase right = clauses(count - of_left);
    switch (below(3)) {
      case 0:  // the second clause counts
        return pair(right.label, left, pair(right.label, word("but"), right));
      case 1:  // the first clause counts
        return pair(left.label, left, pair(kNeutral, word("although"), right));
      default: {  // the mean, rounded towards neutral
        const int sum = left.label + right.label - 2 * kNeutral;
        return pair(kNeutral + sum / 2, left,
                    pair(right.label, word("and"), right));
      }
    }
  }

  Phrase clause() {
    const Phrase subject = pair(kNeutral, word("the"), word(pick(kSubjects)));
    const Phrase verb = word(pick(kVerbs));
    const Phrase opinion = this->opinion();
    return pair(opinion.label, subject, pair(opinion.label, verb, opinion));
  }

  // "good", "very good", "not really good", "really not very good", ...
  Phrase opinion() {
    const int label = below(5);
    Phrase phrase = word(pick(kAdjectives[label]), label);
    if (below(2) == 0) phrase = modify(pick(kDegrees), phrase);
    if (below(2) == 0) {
      phrase = modify(pick(kNegations), phrase);
      if (below(2) == 0) phrase = modify(pick(kDegrees), phrase);
    }
    return phrase;
  }
  static Phrase modify(const Modifier& modifier, const Phrase& phrase) {
    return pair(modifier.label[phrase.label], word(modifier.word), phrase);
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<std::string> make_reviews(int64_t count, uint64_t seed) {
  ReviewWriter writer(seed);
  std::set<std::string> seen;
  std::vector<std::string> reviews;
  while (static_cast<int64_t>(reviews.size()) < count) {
    std::string review = writer.review().text;
    if (seen.insert(review).second) reviews.push_back(std::move(review));
  }
  return reviews;
}

}  // namespace catena::examples
