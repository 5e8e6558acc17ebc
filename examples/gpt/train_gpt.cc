// Trains a GPT on a text, of GPT-2's tokens or of tokens that it learns first.
//
//   Data:   Shakespeare's plays ship with catena. --text=FILE reads another
//           text.
//   Run:    ./bazelw run //examples/gpt:train_gpt --
//           --vocabulary=gpt2 --layers=4
//           --vocabulary=2000 learns a vocabulary of 2,000 tokens.
//   Expect: a loss that falls, from 10.8 nats a token for GPT-2's vocabulary.
//           The folder result, or --out, has the log, texts that the model
//           wrote on the way, report.html with both, snapshots, and the model
//           in Hugging Face's layout: generate and fine_tune read it.
//   Resume: --resume=latest continues after the last snapshot.

#include <charconv>
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/gpt/text_training.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;

ABSL_FLAG(std::string, vocabulary, "gpt2",
          "gpt2, or how many tokens to learn from the text");
ABSL_FLAG(std::vector<std::string>, special_tokens, {"<|endoftext|>"},
          "those of a vocabulary that is learned");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, context, {256}, "tokens that it sees");
ABSL_FLAG(examples::AtLeast<1>, layers, {4}, "blocks");
ABSL_FLAG(examples::AtLeast<1>, heads, {4}, "heads of attention in a block");
ABSL_FLAG(examples::AtLeast<1>, units, {128}, "units of a token");
ABSL_FLAG(double, dropout, 0, "share that is dropped in training");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

datasets::Tokenizer tokenizer_for(const std::string& text) {
  const std::string name = GetFlag(FLAGS_vocabulary);
  if (name == "gpt2") return datasets::gpt2_tokenizer();
  int64_t size = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, size);
  if (error != std::errc() || rest != end || size < 257) {
    raise<ValueError>("--vocabulary: expected gpt2 or at least 257, got '",
                      name, "'");
  }
  return datasets::train_bpe(
      text,
      {.vocabulary = size, .special_tokens = GetFlag(FLAGS_special_tokens)});
}

void train() {
  const DeviceScope scope(Device::parse(GetFlag(FLAGS_device)));
  array::random::seed(GetFlag(FLAGS_seed));
  const std::string text = examples::read_training_text();
  const datasets::Tokenizer tokenizer = tokenizer_for(text);
  L::Gpt2 model({.vocabulary = tokenizer.vocabulary_size(),
                 .context = GetFlag(FLAGS_context),
                 .units = GetFlag(FLAGS_units),
                 .heads = GetFlag(FLAGS_heads),
                 .layers = GetFlag(FLAGS_layers),
                 .dropout = GetFlag(FLAGS_dropout)});
  std::cout << tokenizer.vocabulary_size() << " tokens, "
            << model.count_params() << " parameters\n";
  examples::train_on_text(model, tokenizer, text);
  const std::string folder = examples::model_folder();
  L::save_pretrained(model, folder);
  datasets::save_tokenizer(folder + "/tokenizer.json", tokenizer);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Trains a GPT on a text.", train);
}
