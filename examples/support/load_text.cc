#include "catena/examples/support/load_text.h"

#include "catena/array/core/error.h"
#include "catena/array/index.h"
#include "catena/dataset/datasets/ptb.h"
#include "catena/dataset/datasets/shakespeare.h"

namespace catena::examples {
namespace {

Text make_text(datasets::WordSets ids, const datasets::Vocabulary& vocabulary) {
  Text text = {.ids = std::move(ids),
               .words = std::vector<std::string>(vocabulary.size())};
  for (const auto& [word, id] : vocabulary) text.words[id] = word;
  return text;
}

}  // namespace

Text load_text(const std::string& dataset, const std::string& data_dir) {
  if (dataset == "ptb") {
    const datasets::GetPtbOptions options = {.data_dir = data_dir};
    return make_text(datasets::get_ptb_words(options),
                     datasets::get_ptb_words_vocabulary(options));
  }
  if (dataset != "shakespeare") {
    raise<ValueError>("--dataset: expected shakespeare or ptb, got '", dataset,
                      "'");
  }
  if (!data_dir.empty()) {
    raise<ValueError>("--data_dir is for --dataset=ptb");
  }
  return make_text(datasets::get_shakespeare_words(),
                   datasets::get_shakespeare_words_vocabulary());
}

Text first_words(const Text& text) {
  const auto first = [](const Array& ids) -> Array {
    return ids[{Slice(0, 100)}];
  };
  return {.ids = {.train = first(text.ids.train),
                  .valid = first(text.ids.valid),
                  .test = first(text.ids.test)},
          .words = text.words};
}

}  // namespace catena::examples
