#pragma once

#include <string>
#include <vector>

// The C++ compiler of this machine, for run-time compilation of kernels.
namespace catena::array {

struct HostCompiler {
  // The program, and arguments that precede all others.
  std::vector<std::string> command;
  // The first line of its --version output.
  std::string version;
};

// $CXX (split into words, as in "ccache g++"), else the first of c++, g++ and
// clang++ on PATH. Looked up once per process. Throws NotImplementedError
// naming `kernel` and the candidates when there is none.
const HostCompiler& host_compiler(const std::string& kernel);

struct Compilation {
  bool ok = false;
  std::string output;  // the compiler's messages
  std::string binary;  // the shared object
};

// Compiles C++20 source to a shared object, in a temporary folder that is
// removed afterwards. If that takes longer than a second and standard error is
// a terminal, prints that `kernel` is being compiled. Throws IoError when the
// folder cannot be created or the compiler cannot be started.
Compilation compile_shared_object(const HostCompiler& compiler,
                                  const std::string& kernel,
                                  const std::string& source,
                                  const std::vector<std::string>& options);

}  // namespace catena::array
