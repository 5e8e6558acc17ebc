#pragma once

#include <string>

#include "catena/dataset/tokenizers/tokenizer.h"
#include "catena/links/model/language_model.h"

// The training of train_gpt and fine_tune, and its flags: --text, --batchsize,
// --length, --lr, --iteration, --interval, --autocast, --start, --out,
// --resume.
namespace catena::examples {

// The text --text, by default Shakespeare's plays. Throws IoError.
std::string read_training_text();

// --out, and the folder of the model in it, which is made.
std::string model_folder();

// Trains a model on a text as the flags say, and evaluates it
// (language_training.h).
void train_on_text(links::LanguageModel& model,
                   const datasets::Tokenizer& tokenizer,
                   const std::string& text);

}  // namespace catena::examples
