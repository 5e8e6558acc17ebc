#include "catena/training/communicators/testing/mpirun.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

namespace catena::training::communicators::testing {
namespace {

using catena::testing::Program;
using catena::testing::TempFolder;

// A short path: Open MPI keeps sockets there, whose path length is limited.
std::string new_session() {
  std::string path = "/tmp/catena_mpi_XXXXXX";
  return ::mkdtemp(path.data()) != nullptr ? path : std::string();
}

Program::Arguments words_of(int ranks, const std::string& program,
                            const std::vector<std::string>& arguments) {
  Program::Arguments words = {"--oversubscribe",     "--bind-to", "none", "-n",
                              std::to_string(ranks), program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

Program::Variables variables_of(const TempFolder& folder,
                                const std::string& session) {
  // Tests may run as root in a container, next to others on few cores.
  Program::Variables variables = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_mpi_yield_when_idle", "1"},
      {"OMPI_MCA_btl", "self,vader"},
      // Needs a permission that containers lack.
      {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
      {"OMP_NUM_THREADS", "1"}};
  // Required by Open MPI 5 and 6.
  if (::getenv("HOME") == nullptr) variables["HOME"] = folder.path();
  if (!session.empty()) variables["TMPDIR"] = session;
  return variables;
}

}  // namespace

MpiRun::MpiRun(int ranks, const std::string& program,
               const std::vector<std::string>& arguments)
    : session_(new_session()),
      process_("mpirun", words_of(ranks, program, arguments), folder_, "",
               variables_of(folder_, session_)) {}

// Open MPI has removed its files, unless it was killed.
MpiRun::~MpiRun() {
  if (session_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(session_, ignored);
}

RunResult MpiRun::wait() const {
  RunResult result;
  result.code = process_.wait();
  result.output = result.code == 127 ? "mpirun is not installed"
                                     : process_.out() + process_.err();
  return result;
}

RunResult mpirun(int ranks, const std::string& program,
                 const std::vector<std::string>& arguments) {
  return MpiRun(ranks, program, arguments).wait();
}

}  // namespace catena::training::communicators::testing
