// Code on disk that another process has compiled: each case restarts this
// program, which remembers what it has loaded.

#include "catena/array/user_kernel/runtime_code.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/user_kernel/kernel_cache.h"
#include "catena/array/user_kernel/raw_kernel.h"
#include "catena/cuda/device.h"
#include "catena/cuda/nvrtc.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::cuda {
namespace {

using ::catena::testing::IsArray;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;

constexpr const char* kTask = "CATENA_RUNTIME_CODE_TASK";
constexpr const char* kCode =
    "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }";

class RuntimeCodeTest : public GpuTest {
 protected:
  // Another process that uses the kernel.
  static void run() {
    std::string program = std::filesystem::read_symlink("/proc/self/exe");
    std::string filter = "--gtest_filter=*RunsTheKernel";
    char* arguments[] = {program.data(), filter.data(), nullptr};
    ASSERT_EQ(::setenv(kTask, "1", 1), 0);
    pid_t child = 0;
    ASSERT_EQ(::posix_spawn(&child, program.c_str(), nullptr, nullptr,
                            arguments, environ),
              0);
    ASSERT_EQ(::unsetenv(kTask), 0);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
};

TEST_F(RuntimeCodeTest, RunsTheKernel) {
  if (std::getenv(kTask) == nullptr) GTEST_SKIP() << "only in a child process";
  const DeviceScope scope(cuda_device());
  const Array x = array::ones({4}, Dtype::kFloat32);
  RawKernel(kCode, "twice")({1}, {4}, {x});
  EXPECT_THAT(x, IsArray(array::full({4}, 2, Dtype::kFloat32)));
}

// The key of an entry, which is between the binary and the footer.
std::string key_of(const std::string& entry) {
  constexpr size_t kFooter = 48;
  uint64_t sizes[2];  // of the binary and of the key
  std::memcpy(sizes, entry.data() + entry.size() - kFooter + 16, sizeof(sizes));
  return entry.substr(sizes[0], sizes[1]);
}

std::string for_other_gpus(const std::string& code) {
  Elf64_Ehdr header;
  std::memcpy(&header, code.data(), sizeof(header));
  if (header.e_machine == EM_CUDA) {
    const std::string other = compute_capability(0) == "80" ? "90" : "80";
    return compile_with_nvrtc(kCode, {"twice"}, other, {}).cubin;
  }
  std::string changed = code;  // the host's, for emulated GPUs
  header.e_machine = EM_CUDA;
  std::memcpy(changed.data(), &header, sizeof(header));
  return changed;
}

std::string with_other_bytes(const std::string& code) {
  std::string changed = code;
  for (size_t i = 4; i < 20; ++i) changed[i] = static_cast<char>(~changed[i]);
  return changed;
}

TEST_F(RuntimeCodeTest, ADamagedEntryIsCompiledAgain) {
  const TempFolder folder;
  ASSERT_EQ(::setenv("CATENA_CACHE_DIR", folder.path().c_str(), 1), 0);
  run();
  const auto files = std::filesystem::directory_iterator(folder.path());
  const std::string path = files->path();
  const std::string entry = read_file(path);
  const std::string key = key_of(entry);
  const array::KernelCache cache(folder.path());
  const std::string whole = cache.load(key).value();
  const size_t begin = whole.find('\0') + 1;  // of the code
  const std::string names = whole.substr(0, begin);
  const std::string code = whole.substr(begin);

  // With a checksum that fits: the driver has to notice.
  for (const std::string& damaged :
       {names + code.substr(0, code.size() / 2), names + with_other_bytes(code),
        names + for_other_gpus(code), names, names.substr(0, begin - 1),
        "another_name\n" + std::string(1, '\0') + code}) {
    ASSERT_TRUE(cache.store(key, damaged));
    run();
    EXPECT_NE(cache.load(key), damaged);
  }
  // As a failing disk leaves it.
  for (const std::string& damaged :
       {entry.substr(0, entry.size() / 2), with_other_bytes(entry)}) {
    write_file(path, damaged);
    ASSERT_EQ(cache.load(key), std::nullopt);
    run();
    EXPECT_NE(cache.load(key), std::nullopt);
  }
}

}  // namespace
}  // namespace catena::cuda
