#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace catena::examples {

// All ways to write a date, a day from 1900 to 2099, that are used here:
// "Sunday, the third of May 1998", "May 3rd, nineteen ninety-eight", ...
std::vector<std::string> phrases_of(std::chrono::year_month_day date);

// The files of a corpus; in each, a sentence or word per line.
struct CorpusFiles {
  std::string source, target;
  std::string source_vocab, target_vocab;
  std::string validation_source, validation_target;
};

// Writes random dates in words and in digits to a folder, which is created:
// "Sunday , the third of May 1998" and "1 9 9 8 - 0 5 - 0 3". No date is both
// for training and for validation.
CorpusFiles write_dates(const std::string& folder, int64_t train,
                        int64_t validation, uint64_t seed);

}  // namespace catena::examples
