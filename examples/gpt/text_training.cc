#include "catena/examples/gpt/text_training.h"

#include <cstdint>
#include <filesystem>

#include "absl/flags/flag.h"
#include "catena/array/creation.h"
#include "catena/examples/gpt/language_training.h"
#include "catena/examples/support/autocast_flag.h"
#include "catena/examples/support/flags.h"
#include "catena/links/model/text_generation.h"

using absl::GetFlag;

ABSL_FLAG(std::string, text, "", "a text file, instead of Shakespeare's plays");
ABSL_FLAG(catena::examples::AtLeast<1>, batchsize, {4}, "texts in a minibatch");
ABSL_FLAG(catena::examples::AtLeast<1>, length, {64},
          "tokens of a text in a minibatch");
ABSL_FLAG(double, lr, 5e-4,
          "largest learning rate, after a twentieth of the steps; it ends at a "
          "tenth");
ABSL_FLAG(catena::examples::AtLeast<1>, iteration, {500}, "steps");
ABSL_FLAG(catena::examples::AtLeast<1>, interval, {100},
          "steps between evaluations, texts and snapshots");
ABSL_FLAG(catena::examples::AutocastFlag, autocast, {},
          "computes products in bfloat16 or float16; off: in float32");
ABSL_FLAG(std::string, start, "ROMEO:\n", "what the texts begin with");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");

namespace catena::examples {

std::string read_training_text() {
  return read_training_text(GetFlag(FLAGS_text));
}

std::string model_folder() {
  const std::string folder = GetFlag(FLAGS_out) + "/model";
  std::filesystem::create_directories(folder);
  return folder;
}

void train_on_text(links::LanguageModel& model,
                   const datasets::Tokenizer& tokenizer,
                   const std::string& text) {
  const Array ids =
      array::array(tokenizer.encode(text, {.add_special_tokens = false}),
                   std::nullopt, native_device());
  const std::string start = GetFlag(FLAGS_start);
  train_language_model(model, ids,
                       {.batch_size = GetFlag(FLAGS_batchsize),
                        .length = GetFlag(FLAGS_length),
                        .lr = GetFlag(FLAGS_lr),
                        .iterations = GetFlag(FLAGS_iteration),
                        .interval = GetFlag(FLAGS_interval),
                        .out = GetFlag(FLAGS_out),
                        .resume = GetFlag(FLAGS_resume),
                        .autocast = GetFlag(FLAGS_autocast).dtype,
                        .write_text = [&] {
                          return start + links::generate_text(
                                             model, tokenizer, start,
                                             {.generate = {.max_tokens = 100,
                                                           .temperature = 0.8,
                                                           .seed = 0}});
                        }});
}

}  // namespace catena::examples
