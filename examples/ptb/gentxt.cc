// Writes a text word by word with a model trained by train_ptb.
//
//   Data:   the model and vocabulary.txt in its folder, both from train_ptb.
//   Run:    ./bazelw run //examples/ptb:gentxt -- --length=60
//   Expect: what Romeo might say. --primetext="JULIET:" lets Juliet speak, and
//           another --seed says something else.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/ptb/rnn_for_lm.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
namespace F = catena::functions;
namespace L = catena::links;
namespace xp = catena::array;

ABSL_FLAG(std::string, model, "result/model.npz",
          "the model, with vocabulary.txt in its folder");
ABSL_FLAG(std::string, primetext, "ROMEO:", "the first word");
ABSL_FLAG(examples::AtLeast<0>, length, {20}, "words to write");
ABSL_FLAG(bool, sample, true,
          "draws words by their probabilities; otherwise takes the most "
          "probable one");
ABSL_FLAG(examples::AtLeast<1>, unit, {200},
          "units in a layer, as in training");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(uint64_t, seed, 123, "seed of all random numbers");

namespace {

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) {
    raise<IoError>("cannot read ", path.string(), "; train_ptb writes it");
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Appends a word, with the blank before it.
void write(const std::string& word, std::string& text) {
  static const std::string kNoBlankBefore = ".,;:!?'";
  if (word == "<eos>") {
    text += "\n";
    return;
  }
  const bool is_first = text.empty() || text.back() == '\n';
  if (!is_first && kNoBlankBefore.find(word) == std::string::npos) text += " ";
  text += word;
}

void generate() {
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));
  xp::random::seed(GetFlag(FLAGS_seed));
  const auto test_mode = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();

  const std::filesystem::path file = GetFlag(FLAGS_model);
  const std::filesystem::path vocabulary =
      file.parent_path() / "vocabulary.txt";
  const std::vector<std::string> words = read_lines(vocabulary);
  std::map<std::string, int32_t> ids;
  for (const std::string& word : words) {
    ids.emplace(word, static_cast<int32_t>(ids.size()));
  }
  if (!ids.contains(GetFlag(FLAGS_primetext))) {
    raise<ValueError>("--primetext: expected a word of ", vocabulary.string(),
                      ", got '", GetFlag(FLAGS_primetext), "'");
  }
  const auto n_vocab = static_cast<int64_t>(words.size());
  L::Classifier model(examples::RNNForLM(n_vocab, GetFlag(FLAGS_unit)));
  serializers::load_npz(file.string(), model);

  // The probabilities of the word after this one and those before it.
  const auto next = [&](int32_t word) {
    const Array x = xp::full({1}, word, Dtype::kInt32);
    const Array p = F::softmax(model.predictor(x)).array()[0];
    if (ids.contains("<unk>")) p[ids.at("<unk>")] = 0;  // not a word to read
    return p.astype(Dtype::kFloat64) / p.sum();
  };

  // The text comes after the end of another one.
  for (const std::string before : {".", "<eos>"}) {
    if (ids.contains(before)) next(ids.at(before));
  }
  int32_t word = ids.at(GetFlag(FLAGS_primetext));
  std::string text;
  write(words[word], text);
  for (int64_t i = 0; i < GetFlag(FLAGS_length); ++i) {
    const Array p = next(word);
    word = (GetFlag(FLAGS_sample) ? xp::random::choice(n_vocab, {}, {.p = p})
                                  : p.argmax())
               .item<int32_t>();
    write(words[word], text);
  }
  std::cout << text << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Writes a text.", generate);
}
