#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "catena/array/array.h"
#include "catena/autograd/config.h"
#include "catena/links/model/language_model.h"
#include "catena/training/communicators/communicator.h"

// What the programs that train language models have in common.
namespace catena::examples {

// The text of a file, or Shakespeare's plays without one. Throws IoError.
std::string read_training_text(const std::string& path);

struct LanguageTrainingOptions {
  NamedFieldsOnly keywords = {};
  int64_t batch_size = 0;  // texts in a minibatch
  int64_t length = 0;      // tokens of a text in a minibatch
  // The largest learning rate, after a twentieth of the steps; it ends at a
  // tenth.
  double lr = 0;
  int64_t iterations = 0;
  // Steps between evaluations, texts and snapshots.
  int64_t interval = 0;
  std::string out;
  // A snapshot file to continue from, or "latest".
  std::string resume;
  // The 16 bits in which products are computed (autograd/autocast.h).
  AutocastDtype autocast = std::nullopt;
  // A text by the model, now and then.
  std::function<std::string()> write_text;
  // With processes, each computes the gradients of its part of every minibatch.
  // All take the steps that one process would take, but for rounding.
  training::communicators::Communicator* communicator = nullptr;
};

// Trains on the first nine tenths of a text, ids (N,), and evaluates with the
// rest: the means of the loss of each token are in the log. Parameters that are
// frozen stay as they are. Throws ValueError when the text is too short, and
// for a batch_size that the number of processes does not divide.
void train_language_model(links::LanguageModel& model, const Array& ids,
                          const LanguageTrainingOptions& options);

}  // namespace catena::examples
