// When kernels are compiled, and their reuse across processes: each case
// restarts this program with a compiler that counts its calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/user_kernel/elementwise_kernel.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::IsArray;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::HasSubstr;

constexpr const char* kTask = "CATENA_KERNEL_REUSE_TASK";

class KernelReuseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(compiler_,
               "#!/bin/sh\n"
               "for word in \"$@\"; do\n"
               "  [ \"$word\" = -shared ] && echo compiled >> '" +
                   log_ +
                   "'\n"
                   "done\n"
                   // The task "at once" needs two compilers that run together.
                   "tries=0\n"
                   "while [ \"$" +
                   kTask +
                   "\" = 'at once' ] && [ \"$1\" != --version ] &&\n"
                   "      [ $(wc -l < '" +
                   log_ +
                   "') -lt 2 ]; do\n"
                   "  sleep 0.01\n"
                   "  tries=$((tries + 1))\n"
                   "  [ $tries -gt 3000 ] && exit 1\n"
                   "done\n"
                   "exec c++ \"$@\"\n");
    ASSERT_EQ(::chmod(compiler_.c_str(), 0700), 0);
    write_file(log_, "");
  }

  // Starts a process that runs `task`, "square" or "cube".
  pid_t start(const std::string& task) {
    std::vector<std::string> variables = {
        std::string(kTask) + "=" + task, "CXX=" + compiler_,
        "CATENA_CACHE_DIR=" + cache_,
        std::string("PATH=") + std::getenv("PATH")};
    std::vector<char*> environment;
    for (std::string& variable : variables) {
      environment.push_back(variable.data());
    }
    environment.push_back(nullptr);
    std::string program = std::filesystem::read_symlink("/proc/self/exe");
    std::string filter = "--gtest_filter=*RunsATask";
    char* arguments[] = {program.data(), filter.data(), nullptr};
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, program.c_str(), nullptr, nullptr,
                            arguments, environment.data()),
              0);
    return child;
  }

  static void finish(pid_t child) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  void run(const std::string& task) { finish(start(task)); }

  int compilations() const {
    std::ifstream log(log_);
    int lines = 0;
    for (std::string line; std::getline(log, line);) ++lines;
    return lines;
  }

  std::vector<std::string> entries() const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(cache_)) {
      paths.push_back(entry.path());
    }
    return paths;
  }

  TempFolder folder_;
  std::string compiler_ = folder_.file("compiler");
  std::string log_ = folder_.file("log");
  std::string cache_ = folder_.file("cache");
};

TEST_F(KernelReuseTest, ASecondProcessCompilesNothing) {
  run("square");
  EXPECT_EQ(compilations(), 1);
  run("square");
  EXPECT_EQ(compilations(), 1);
  run("cube");
  EXPECT_EQ(compilations(), 2);
}

TEST_F(KernelReuseTest, ADamagedEntryIsBuiltAgain) {
  run("square");
  const std::vector<std::string> paths = entries();
  ASSERT_EQ(paths.size(), 1u);
  const std::string good = read_file(paths[0]);
  std::string bad = good;
  bad[bad.size() / 3] ^= 1;
  for (const std::string& content : {bad, std::string(), good.substr(0, 99)}) {
    write_file(paths[0], content);
    const int before = compilations();
    run("square");
    EXPECT_EQ(compilations(), before + 1);
    EXPECT_EQ(read_file(paths[0]).size(), good.size());
  }
}

TEST_F(KernelReuseTest, ProcessesMayStartAtOnce) {
  std::vector<pid_t> children;
  for (int k = 0; k < 4; ++k) children.push_back(start("square"));
  for (const pid_t child : children) finish(child);
  EXPECT_EQ(entries().size(), 1u);
  const int before = compilations();
  run("square");
  EXPECT_EQ(compilations(), before);
}

TEST_F(KernelReuseTest, KernelsAreCompiledAtOnceInTheBackground) {
  run("at once");
  EXPECT_EQ(compilations(), 2);
}

TEST_F(KernelReuseTest, WithoutAPlaceForTheCacheKernelsStillRun) {
  write_file(cache_, "a file where the folder should be");
  run("square");
  run("square");
  EXPECT_EQ(compilations(), 2);
}

TEST_F(KernelReuseTest, WithoutACompilerTheErrorSaysWhatIsMissing) {
  compiler_ = folder_.file("no_such_compiler");
  run("no compiler");
}

TEST(KernelReuseTask, RunsATask) {
  const char* task = std::getenv(kTask);
  if (task == nullptr) GTEST_SKIP() << "the other cases start this one";
  const bool cube = std::string(task) == "cube";
  const ElementwiseKernel kernel("T x", "T y",
                                 cube ? "y = x * x * x" : "y = x * x", "power");
  const Array x = array({1, 2, 3});
  if (std::string(task) == "no compiler") {
    EXPECT_THAT(
        ::catena::testing::error_of<NotImplementedError>([&] { kernel(x); }),
        HasSubstr("power: a user-defined kernel on the CPU needs a C++ "
                  "compiler, and CXX='"));
  } else if (std::string(task) == "at once") {
    const ElementwiseKernel next("T x", "T y", "y = x + 1", "next");
    kernel.start_compiling(x);
    next.start_compiling(x);
    EXPECT_THAT(kernel(x), IsArray(array({1, 4, 9})));
    EXPECT_THAT(next(x), IsArray(array({2, 3, 4})));
  } else {
    EXPECT_THAT(kernel(x),
                IsArray(cube ? array({1, 8, 27}) : array({1, 4, 9})));
  }
}

}  // namespace
}  // namespace catena::array
