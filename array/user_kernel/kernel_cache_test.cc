#include "catena/array/user_kernel/kernel_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "catena/tests/testing/temp_folder.h"

namespace catena::array {
namespace {

using ::catena::testing::read_file;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::Eq;
using ::testing::Optional;
using ::testing::StartsWith;

class KernelCacheTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  KernelCache cache_{folder_.file("new/kernels")};
};

TEST_F(KernelCacheTest, GivesBackWhatWasStored) {
  const std::string binary("ELF\0\1\2", 6);
  EXPECT_THAT(cache_.load("key"), Eq(std::nullopt));
  EXPECT_TRUE(cache_.store("key", binary));
  EXPECT_THAT(cache_.load("key"), Optional(binary));
  EXPECT_THAT(cache_.load("other key"), Eq(std::nullopt));
  EXPECT_THAT(read_file(cache_.path("key")), StartsWith(binary));
}

TEST_F(KernelCacheTest, ReplacesAnEntry) {
  EXPECT_TRUE(cache_.store("key", "old"));
  EXPECT_TRUE(cache_.store("key", "new and longer"));
  EXPECT_THAT(cache_.load("key"), Optional(std::string("new and longer")));
}

TEST_F(KernelCacheTest, DetectsEveryDamagedByte) {
  ASSERT_TRUE(cache_.store("the key", "the binary"));
  const std::string path = cache_.path("the key");
  const std::string good = read_file(path);
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write_file(path, bad);
    EXPECT_THAT(cache_.load("the key"), Eq(std::nullopt)) << at;
  }
}

TEST_F(KernelCacheTest, DetectsATruncatedOrGrownFile) {
  ASSERT_TRUE(cache_.store("the key", "the binary"));
  const std::string path = cache_.path("the key");
  const std::string good = read_file(path);
  for (size_t size = 0; size < good.size(); ++size) {
    write_file(path, good.substr(0, size));
    EXPECT_THAT(cache_.load("the key"), Eq(std::nullopt)) << size;
  }
  write_file(path, good + "x");
  EXPECT_THAT(cache_.load("the key"), Eq(std::nullopt));
  EXPECT_TRUE(cache_.store("the key", "the binary"));
  EXPECT_THAT(cache_.load("the key"), Optional(std::string("the binary")));
}

TEST_F(KernelCacheTest, AnEntryOfAnotherKeyUnderTheNameIsNotTaken) {
  ASSERT_TRUE(cache_.store("one", "binary"));
  write_file(cache_.path("two"), read_file(cache_.path("one")));
  EXPECT_THAT(cache_.load("two"), Eq(std::nullopt));
}

TEST_F(KernelCacheTest, TakesNoFileThatOthersMayWrite) {
  ASSERT_TRUE(cache_.store("key", "binary"));
  ASSERT_EQ(::chmod(cache_.path("key").c_str(), 0666), 0);
  EXPECT_THAT(cache_.load("key"), Eq(std::nullopt));
}

TEST_F(KernelCacheTest, AFolderThatCannotBeMadeOnlyCostsTheEntry) {
  write_file(folder_.file("file"), "");
  const KernelCache cache(folder_.file("file/below"));
  EXPECT_FALSE(cache.store("key", "binary"));
  EXPECT_THAT(cache.load("key"), Eq(std::nullopt));
}

TEST_F(KernelCacheTest, WritersAndReadersMeetWholeEntries) {
  const std::string binary(100000, 'b');
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        EXPECT_TRUE(cache_.store("key", binary));
        EXPECT_THAT(cache_.load("key"), Optional(binary));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Sets an environment variable, or clears it, for a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value != nullptr) {
      ::setenv(name_, value, 1);
    } else {
      ::unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

TEST(KernelCacheFolderTest, FollowsTheEnvironment) {
  const Variable home("HOME", "/home/user");
  const Variable cache_home("XDG_CACHE_HOME", "/caches");
  const Variable own("CATENA_CACHE_DIR", "/own");
  EXPECT_EQ(KernelCache::user().folder(), "/own");
  {
    const Variable none("CATENA_CACHE_DIR", nullptr);
    EXPECT_EQ(KernelCache::user().folder(), "/caches/catena/kernels");
    const Variable no_caches("XDG_CACHE_HOME", "");
    EXPECT_EQ(KernelCache::user().folder(), "/home/user/.cache/catena/kernels");
    const Variable no_home("HOME", nullptr);
    EXPECT_FALSE(KernelCache::user().store("key", "binary"));
    EXPECT_EQ(KernelCache::user().load("key"), std::nullopt);
  }
}

}  // namespace
}  // namespace catena::array
