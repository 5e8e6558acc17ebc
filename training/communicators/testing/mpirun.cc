#include "catena/training/communicators/testing/mpirun.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "catena/tests/testing/temp_folder.h"

namespace catena::training::communicators::testing {

RunResult mpirun(int ranks, const std::string& program,
                 const std::vector<std::string>& arguments) {
  // A short path: Open MPI keeps sockets there, whose path length is limited.
  char session[] = "/tmp/catena_mpi_XXXXXX";
  const bool has_session = mkdtemp(session) != nullptr;
  const catena::testing::TempFolder folder;
  const std::string output = folder.file("output");
  std::vector<std::string> words = {
      "mpirun", "--oversubscribe",     "--bind-to", "none",
      "-n",     std::to_string(ranks), program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t process = fork();
  if (process == 0) {
    // Tests may run as root in a container, next to others on few cores.
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    setenv("OMPI_MCA_btl", "self,vader", 1);
    // Needs a permission that containers lack.
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("HOME", folder.path().c_str(), 0);  // required by Open MPI 5 and 6
    if (has_session) setenv("TMPDIR", session, 1);
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(process, &status, 0);
  RunResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.output = result.code == 127 ? "mpirun is not installed"
                                     : catena::testing::read_file(output);
  if (has_session) {
    // Open MPI has removed its files.
    rmdir(session);
  }
  return result;
}

}  // namespace catena::training::communicators::testing
