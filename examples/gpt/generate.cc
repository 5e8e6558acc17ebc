// Continues a text with a published model: GPT-2, Llama, SmolLM2, Mistral,
// Qwen2 or Qwen3.
//
//   Data:   a folder with config.json, model.safetensors (or several files with
//           their index), tokenizer.json and, if there is one,
//           generation_config.json.
//   Run:    ./bazelw run //examples/gpt:generate --
//           --model=FOLDER --prompt="To be"
//   Expect: the prompt and, token by token, what the model writes.

#include <iostream>
#include <string>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/gpt/published_model.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;

ABSL_FLAG(std::string, prompt, "To be", "what the text begins with");

namespace {

void generate() {
  examples::PublishedModel published = examples::load_published_model();
  const std::string prompt = GetFlag(FLAGS_prompt);
  std::cout << prompt << std::flush;
  L::generate_text(
      *published.model, published.tokenizer, prompt,
      {.generate = published.options, .on_text = [](std::string_view text) {
         std::cout << text << std::flush;
       }});
  std::cout << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(
      argc, argv, "Continues a text with a published model.", generate);
}
