#include "catena/examples/pos/grammar.h"

#include <map>
#include <random>
#include <sstream>
#include <string>

namespace catena::examples {
namespace {

// One of the ways to write a symbol, and how often it is chosen: as tags and
// symbols, which are in capitals.
struct Rule {
  const char* symbol;
  unsigned frequency;
  const char* expansion;
};

constexpr Rule kRules[] = {
    {"SENTENCE", 6, "CLAUSE ."},
    {"SENTENCE", 1, "CLAUSE cc CLAUSE ."},
    {"SENTENCE", 1, "cs CLAUSE , CLAUSE ."},
    {"CLAUSE", 2, "ONE PRESENT"},
    {"CLAUSE", 2, "ONE PAST"},
    {"CLAUSE", 2, "ONE md BASE"},
    {"CLAUSE", 1, "SEVERAL BASE"},
    {"CLAUSE", 1, "SEVERAL PAST"},
    {"CLAUSE", 1, "SEVERAL md BASE"},
    {"ONE", 1, "pps"},
    {"ONE", 3, "SINGULAR"},
    {"SEVERAL", 1, "ppss"},
    {"SEVERAL", 2, "PLURAL"},
    {"OBJECT", 1, "ppo"},
    {"OBJECT", 2, "SINGULAR"},
    {"OBJECT", 1, "PLURAL"},
    {"SINGULAR", 3, "at NOUN"},
    {"SINGULAR", 2, "dt NOUN"},
    {"SINGULAR", 2, "pp$ NOUN"},
    {"SINGULAR", 1, "at NOUN wps PAST"},
    {"PLURAL", 1, "NOUNS"},
    {"PLURAL", 1, "at NOUNS"},
    {"PLURAL", 1, "pp$ NOUNS"},
    {"NOUN", 3, "nn"},
    {"NOUN", 2, "jj nn"},
    {"NOUNS", 3, "nns"},
    {"NOUNS", 2, "jj nns"},
    {"PRESENT", 1, "vbz REST"},
    {"PAST", 1, "vbd REST"},
    {"BASE", 1, "vb REST"},
    {"REST", 2, "rb"},
    {"REST", 3, "OBJECT"},
    {"REST", 1, "OBJECT rb"},
    {"REST", 2, "in OBJECT"},
    {"REST", 1, "OBJECT in OBJECT"},
    {"REST", 1, "to BASE"},
    {"REST", 1, "cs CLAUSE"},
};

// The words of each tag, all equally frequent.
constexpr struct {
  const char* tag;
  const char* words;
} kWords[] = {
    {"at", "the the the a a"},
    {"cc", "and but"},
    {"cs", "that that if before after because"},
    {"dt", "this that"},
    {"in", "in on with to like before after under"},
    {"jj",
     "old young light cold fast flat right kind little big green warm happy"},
    {"md", "can will might must should"},
    {"nn",
     "can will might saw run walk watch plan play talk light fish duck water "
     "back well cold right kind man woman dog house garden river table boat "
     "train friend story"},
    {"nns",
     "cans wills saws runs walks watches plans plays talks lights ducks men "
     "women dogs houses gardens boats trains friends children"},
    {"pp$", "my your his her their our"},
    {"ppo", "me him her it them you us"},
    {"pps", "he she it"},
    {"ppss", "i they we you"},
    {"rb", "fast well back right often here never soon"},
    {"to", "to"},
    {"vb",
     "see run walk watch plan play talk light fish duck water back like saw "
     "find leave remember hope"},
    {"vbd",
     "saw felt left ran walked watched planned played liked found remembered "
     "hoped said"},
    {"vbz",
     "sees runs walks watches plans plays talks lights ducks likes finds "
     "remembers hopes says"},
    {"wps", "that who"},
    {",", ","},
    {".", "."},
};

class Grammar {
 public:
  explicit Grammar(uint64_t seed) : random_(seed) {
    for (const Rule& rule : kRules) {
      auto& expansions = expansions_[rule.symbol];
      expansions.insert(expansions.end(), rule.frequency,
                        split(rule.expansion));
    }
    for (const auto& [tag, words] : kWords) words_[tag] = split(words);
  }

  void write(const std::string& symbol, TaggedSentence& sentence) {
    if (const auto rule = expansions_.find(symbol); rule != expansions_.end()) {
      for (const auto& part : pick(rule->second)) write(part, sentence);
    } else {
      sentence.words.push_back(pick(words_.at(symbol)));
      sentence.tags.push_back(symbol);
    }
  }

 private:
  using Symbols = std::vector<std::string>;

  static Symbols split(const char* text) {
    std::istringstream stream(text);
    Symbols symbols;
    for (std::string symbol; stream >> symbol;) symbols.push_back(symbol);
    return symbols;
  }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[random_() % list.size()];
  }

  std::mt19937_64 random_;
  std::map<std::string, std::vector<Symbols>> expansions_;
  std::map<std::string, Symbols> words_;
};

}  // namespace

std::vector<TaggedSentence> make_tagged_sentences(int64_t count,
                                                  uint64_t seed) {
  Grammar grammar(seed);
  std::vector<TaggedSentence> sentences(count);
  for (TaggedSentence& sentence : sentences) {
    grammar.write("SENTENCE", sentence);
  }
  return sentences;
}

}  // namespace catena::examples
