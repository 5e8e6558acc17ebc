// A conversation with a published model that was trained to answer.
//
//   Data:   a folder as for generate.cc; the format of conversations is that of
//           the special tokens in tokenizer.json, or --format.
//   Run:    ./bazelw run //examples/gpt:chat -- --model=FOLDER
//   Expect: an answer to each line of the input. An empty line begins a new
//           conversation; the end of the input ends the program.

#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/gpt/published_model.h"
#include "catena/examples/support/flags.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;

ABSL_FLAG(std::string, format, "", "chatml, llama2, llama3 or gemma");
ABSL_FLAG(std::string, system, "", "instructions before the conversation");

namespace {

void chat() {
  examples::PublishedModel published = examples::load_published_model();
  std::string format = GetFlag(FLAGS_format);
  if (format.empty()) format = L::chat_format_of(published.tokenizer);
  std::vector<L::ChatMessage> first;
  if (!GetFlag(FLAGS_system).empty()) {
    first.push_back({"system", GetFlag(FLAGS_system)});
  }
  std::vector<L::ChatMessage> messages = first;
  std::string line;
  while (std::cout << "> " << std::flush, std::getline(std::cin, line)) {
    if (line.empty()) {
      messages = first;
      continue;
    }
    messages.push_back({"user", line});
    const std::string answer = L::generate_answer(
        *published.model, published.tokenizer, format, messages,
        {.generate = published.options, .on_text = [](std::string_view text) {
           std::cout << text << std::flush;
         }});
    std::cout << std::endl;
    messages.push_back({"assistant", answer});
  }
  std::cout << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Talks with a published model.",
                               chat);
}
