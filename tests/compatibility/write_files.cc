// Writes the files of a version of catena, which later versions must read:
//
//   ./bazelw run //tests/compatibility:write_files -- FOLDER
//
// Run it when a format gains something, into a new folder; files that are there
// are never changed.

#include <filesystem>
#include <iostream>
#include <string>

#include "catena/catena.h"
#include "catena/tests/compatibility/training_run.h"

using namespace catena;
using catena::testing::SavedRun;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_files FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const auto file = [&](const char* name) { return (folder / name).string(); };
  std::filesystem::create_directories(folder);
  const std::string out =
      std::filesystem::temp_directory_path() / "write_files";

  array::random::seed(1);
  SavedRun run(out, 2);
  run.trainer->run();
  serializers::save_npz(file("model.npz"), run.model);
  serializers::save_hdf5(file("model.h5"), run.model);
  serializers::save_safetensors(file("model.safetensors"), run.model);
  serializers::save_npz(file("optimizer.npz"), run.optimizer);
  serializers::save_npz(file("training.npz"), *run.trainer);
  serializers::save_hdf5(file("training.h5"), *run.trainer);

  SavedRun resumed(out, 3);
  serializers::load_npz(file("training.npz"), *resumed.trainer);
  resumed.trainer->run();
  array::savez(file("expected.npz"), {{"before", run.predict().array()},
                                      {"after", resumed.predict().array()}});
  return 0;
}
