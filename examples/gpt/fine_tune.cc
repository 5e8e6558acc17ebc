// Fine-tunes a published model on a text: GPT-2, Llama, SmolLM2, Mistral, Qwen2
// or Qwen3.
//
//   Data:   the folder --model, as for generate.cc, and the text file --text.
//   Run:    ./bazelw run //examples/gpt:fine_tune --
//           --model=FOLDER --text=FILE --lora=8
//           --lora=0 trains all parameters instead of updates of rank 8.
//   Expect: a loss that falls. The folder result, or --out, has the log, texts
//           that the model wrote on the way, report.html with both, snapshots,
//           the updates alone in lora.npz, and in the folder model the model
//           with them, which generate and chat read.
//   Resume: --resume=latest continues after the last snapshot.

#include <filesystem>
#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/gpt/published_model.h"
#include "catena/examples/gpt/text_training.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;

ABSL_FLAG(examples::AtLeast<0>, lora, {8},
          "rank of the updates; 0: trains all parameters");

namespace {

void fine_tune() {
  const auto [model, tokenizer, published_options, options] =
      examples::load_published_model();
  if (options.seed) array::random::seed(*options.seed);
  const int64_t rank = GetFlag(FLAGS_lora);
  if (rank > 0) L::add_lora(*model, {.rank = rank});
  examples::train_on_text(*model, tokenizer, examples::read_training_text());
  const std::string folder = examples::model_folder();
  if (rank > 0) {
    L::LoraParameters updates(*model);
    serializers::save_npz(folder + "/../lora.npz", updates);
    L::merge_lora(*model);
    L::remove_lora(*model);
  }
  L::save_pretrained(*model, folder, {.generate = published_options});
  datasets::save_tokenizer(folder + "/tokenizer.json", tokenizer);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Fine-tunes a published model on a text.", fine_tune);
}
