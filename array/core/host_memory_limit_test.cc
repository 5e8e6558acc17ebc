#include "catena/array/core/host_memory_limit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "catena/array/core/memory_pool.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::cpu {
namespace {

constexpr const char* kMeminfo =
    "MemTotal:        8000000 kB\nMemFree:         1000 kB\n";
constexpr int64_t kMachine = int64_t{8000000} * 1024;

// The files of a system below a folder.
class HostMemoryLimitTest : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_.path() + path;
    std::filesystem::create_directories(file.parent_path());
    testing::write_file(file.string(), text);
  }
  int64_t limit() const { return host_memory_limit(root_.path()); }

 private:
  testing::TempFolder root_;
};

TEST_F(HostMemoryLimitTest, IsTheMachinesMemoryOutsideOfContainers) {
  EXPECT_EQ(limit(), 0);  // the system says nothing
  write("/proc/meminfo", kMeminfo);
  EXPECT_EQ(limit(), kMachine);
  write("/proc/self/cgroup", "0::/user.slice\n");
  write("/sys/fs/cgroup/user.slice/memory.max", "max\n");
  EXPECT_EQ(limit(), kMachine);
}

TEST_F(HostMemoryLimitTest, IsTheLeastOfTheGroupsThatTheProcessIsIn) {
  write("/proc/meminfo", kMeminfo);
  write("/proc/self/cgroup", "0::/pod/job/step\n");
  write("/sys/fs/cgroup/pod/memory.max", "3000000\n");
  write("/sys/fs/cgroup/pod/job/memory.max", "2000000\n");
  write("/sys/fs/cgroup/pod/job/step/memory.max", "max\n");
  write("/sys/fs/cgroup/pod/other/memory.max", "1000\n");
  EXPECT_EQ(limit(), 2000000);
  write("/sys/fs/cgroup/pod/job/step/memory.max", "1000000\n");
  EXPECT_EQ(limit(), 1000000);
}

TEST_F(HostMemoryLimitTest, AContainersGroupMayHaveAnotherPathOutside) {
  write("/proc/meminfo", kMeminfo);
  write("/proc/self/cgroup", "0::/docker/0123\n");
  write("/sys/fs/cgroup/memory.max", "5000000\n");
  EXPECT_EQ(limit(), 5000000);
}

TEST_F(HostMemoryLimitTest, ReadsVersionOneToo) {
  write("/proc/meminfo", kMeminfo);
  write("/proc/self/cgroup",
        "9:name=systemd:/a\n5:cpu,memory:/a/b\n4:memory_other:/c\n0::/\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit(), kMachine);
  write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4000000\n");
  write("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "1000\n");
  EXPECT_EQ(limit(), 4000000);
}

TEST_F(HostMemoryLimitTest, WhatIsNotUnderstoodIsNoLimit) {
  write("/proc/meminfo", "MemTotal:\nMemTotal 3\n");
  write("/proc/self/cgroup", "\n0\n0:\n0::\n0::relative\nmemory:/\n");
  write("/sys/fs/cgroup/memory.max", "-3\n");
  EXPECT_EQ(limit(), 0);
  write("/sys/fs/cgroup/memory.max", "99999999999999999999999\n");
  EXPECT_EQ(limit(), 0);
}

TEST(DefaultLimitTest, IsThePools) {
  EXPECT_EQ(memory_pool_statistics().limit_bytes, host_memory_limit(""));
}

}  // namespace
}  // namespace catena::cpu
