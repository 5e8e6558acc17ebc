#pragma once

#include <cstdint>
#include <vector>

#include "catena/examples/pos/tagged_sentences.h"

// Made-up English from a small grammar. Most of its words can be several parts
// of speech: in "the old man will see that her duck can swim", the word before
// often tells which.
namespace catena::examples {

// The same sentences for the same seed, with the Brown corpus's tags.
std::vector<TaggedSentence> make_tagged_sentences(int64_t count, uint64_t seed);

}  // namespace catena::examples
