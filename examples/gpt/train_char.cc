// Trains a small GPT to write like Shakespeare, character by character.
//
//   Data:   the plays ship with catena: 1.1 million characters, of 65 kinds.
//           --text=FILE reads another text.
//   Run:    ./bazelw run //examples/gpt:train_char
//   Expect: a validation loss of 1.89 nats a character after 2,000 iterations,
//           which take one to two minutes. The folder result, or --out, has
//           the log, texts that the model wrote on the way, report.html with
//           both, snapshots and the model.
//   Resume: --resume=latest continues after the last snapshot.
//   MPI:    mpirun -n 2 bazel-bin/examples/gpt/train_char
//           Each process computes its part of every minibatch. The steps are
//           those of one process; --resume needs as many processes.
//   16 bits: --autocast=bfloat16 computes products in bfloat16.
//
// language_training.cc has the training loop.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "catena/catena.h"
#include "catena/examples/gpt/characters.h"
#include "catena/examples/gpt/language_training.h"
#include "catena/examples/support/autocast_flag.h"
#include "catena/examples/support/flags.h"
#include "catena/training/communicators/create_communicator.h"

using absl::GetFlag;
using namespace catena;
namespace L = catena::links;
namespace communicators = catena::training::communicators;

ABSL_FLAG(std::string, text, "", "a text file, instead of the plays");
ABSL_FLAG(std::string, device, "native", "native, cuda:0, ...");
ABSL_FLAG(examples::AtLeast<1>, batchsize, {12}, "texts in a minibatch");
ABSL_FLAG(examples::AtLeast<1>, context, {64}, "characters that it sees");
ABSL_FLAG(examples::AtLeast<1>, layers, {4}, "blocks");
ABSL_FLAG(examples::AtLeast<1>, heads, {4}, "heads of attention in a block");
ABSL_FLAG(examples::AtLeast<1>, units, {128}, "units of a character");
ABSL_FLAG(double, dropout, 0, "share that is dropped in training");
ABSL_FLAG(double, lr, 1e-3,
          "largest learning rate, after a twentieth of the steps; it ends at a "
          "tenth");
ABSL_FLAG(examples::AtLeast<1>, iteration, {2000}, "steps");
ABSL_FLAG(examples::AtLeast<1>, interval, {500},
          "steps between evaluations, texts and snapshots");
ABSL_FLAG(examples::AutocastFlag, autocast, {},
          "computes products in bfloat16 or float16; off: in float32");
ABSL_FLAG(std::string, start, "ROMEO:\n", "what the texts begin with");
ABSL_FLAG(std::string, out, "result", "folder for the results");
ABSL_FLAG(
    std::string, resume, "",
    "continues from this snapshot file, or from the \"latest\" one in --out");
ABSL_FLAG(uint64_t, seed, 0, "seed of all random numbers");

namespace {

// The processes of mpirun, if it has started this one: Open MPI and MPICH tell
// by these variables.
std::unique_ptr<communicators::Communicator> connect() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (std::getenv(name) != nullptr) {
      return communicators::create_communicator("mpi");
    }
  }
  return nullptr;
}

void train() {
  const Device device = Device::parse(GetFlag(FLAGS_device));
  const DeviceScope scope(device);
  const std::unique_ptr<communicators::Communicator> processes = connect();
  const int rank = processes == nullptr ? 0 : processes->rank();
  // All begin with the parameters of the first; their dropout differs.
  array::random::seed(GetFlag(FLAGS_seed) + static_cast<uint64_t>(rank));

  // 1. The text.
  const std::string text = examples::read_training_text(GetFlag(FLAGS_text));
  const examples::Characters characters(text);

  // 2. The model.
  L::Gpt2 model({.vocabulary = characters.size(),
                 .context = GetFlag(FLAGS_context),
                 .units = GetFlag(FLAGS_units),
                 .heads = GetFlag(FLAGS_heads),
                 .layers = GetFlag(FLAGS_layers),
                 .dropout = GetFlag(FLAGS_dropout)});
  if (rank == 0) {
    std::cout << characters.size() << " characters, " << model.count_params()
              << " parameters\n";
  }

  // 3. The training.
  const std::string start = GetFlag(FLAGS_start);
  examples::train_language_model(
      model, array::array(characters.encode(text), {}, native_device()),
      {.batch_size = GetFlag(FLAGS_batchsize),
       .length = GetFlag(FLAGS_context),
       .lr = GetFlag(FLAGS_lr),
       .iterations = GetFlag(FLAGS_iteration),
       .interval = GetFlag(FLAGS_interval),
       .out = GetFlag(FLAGS_out),
       .resume = GetFlag(FLAGS_resume),
       .autocast = GetFlag(FLAGS_autocast).dtype,
       .write_text =
           [&] { return examples::write_text(model, characters, start); },
       .communicator = processes.get()});
  if (rank == 0) {
    serializers::save_npz(GetFlag(FLAGS_out) + "/model.npz", model);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, "Trains a small GPT.", train);
}
