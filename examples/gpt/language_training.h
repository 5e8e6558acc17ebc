#pragma once

#include <string>

#include "catena/array/array.h"
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

// Trains on the first nine tenths of a text, and evaluates with the rest: the
// means of the loss of each token are in the log. Parameters that are frozen
// stay as they are. Throws ValueError when the text is too short.
void train_language_model(links::LanguageModel& model,
                          const datasets::Tokenizer& tokenizer,
                          const std::string& text);

}  // namespace catena::examples
