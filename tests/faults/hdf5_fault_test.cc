// HDF5 files that are written and read while each call fails, of libhdf5, too.

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/serializers/hdf5.h"
#include "catena/tests/faults/bits.h"
#include "catena/tests/faults/fault_matrix.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

struct Entry {
  std::string key;
  SerializedValue value;
};
using Entries = std::vector<Entry>;

constexpr const char* kOld = "what was there before";

// One of each kind of storage, and of each kind of type that the library makes.
Entries entries() {
  return {{"empty", array::zeros({0, 2}, Dtype::kFloat64)},
          {"group/compact", array::arange(6, Dtype::kFloat32)},
          {"group/inner/bool", array::ones({3}, Dtype::kBool)},
          {"group/inner/half", array::ones({2, 2}, Dtype::kFloat16)},
          {"chunks", array::arange(10'000, Dtype::kFloat32)},
          {"text", std::string("words")},
          {"long text", std::string(40'000, 'w')},
          {"none", std::monostate()}};
}

std::string bits_of(const SerializedValue& value) {
  if (const auto* array = std::get_if<Array>(&value)) {
    return testing::bits_of(*array);
  }
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "none";
}

// How many objects libhdf5 has open, in all files.
std::string open_objects() {
  return str(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), " open objects ");
}

// What a file has, or what is there in its place.
std::string content_of(const std::string& path, const Entries& entries) {
  if (read_file(path) == kOld) return kOld;
  // The bytes of two new files differ, since they have the time in them.
  const serializers::Hdf5Reader reader(path);
  std::string content;
  for (const Entry& entry : entries) {
    const auto value = reader.read(entry.key);
    content += entry.key + (value ? bits_of(*value) : "is not there");
  }
  return content + "is whole";
}

void save(const std::string& path, const Entries& entries, int compression) {
  serializers::save_hdf5(path,
                         [&entries](const Serializer& serializer) {
                           for (const Entry& entry : entries) {
                             serializer.write(entry.key, entry.value);
                           }
                         },
                         {.compression = compression});
}

// All but malloc, see below.
Faults faults_but_malloc() {
  Faults faults = kAllFaults;
  std::erase(faults, Fault::kMalloc);
  return faults;
}

// Writes a file where there is one already. Its state is that of the folder,
// which has the old file or the new one, and the library's open objects.
class WritingTrial final : public FaultTrial {
 public:
  explicit WritingTrial(int compression) : compression_(compression) {
    write_file(path_, kOld);
  }

  void run() override { save(path_, entries_, compression_); }

  std::string state() override {
    std::string state = open_objects();
    for (const auto& file :
         std::filesystem::directory_iterator(folder_.path())) {
      state += file.path().filename().string();
    }
    // The size tells whether there are all checksums, and compression.
    return str(state, content_of(path_, entries_),
               std::filesystem::file_size(path_), " bytes");
  }

 private:
  TempFolder folder_;
  std::string path_ = folder_.file("a.h5");
  int compression_;
  Entries entries_ = entries();
};

TEST(Hdf5FaultTest, AFileIsTheOldOneOrTheNew) {
  for (const int compression : {0, 4}) {
    expect_faults_do_no_harm(
        {str("save_hdf5 with compression ", compression),
         [=] { return std::make_unique<WritingTrial>(compression); }},
        faults_but_malloc());
  }
}

// A limit on the size of files stands in for a full disk, which libhdf5 does
// not survive itself: every write fails, also those as it closes the file.
TEST(Hdf5FaultTest, ADiskThatIsFullIsAnError) {
  WritingTrial trial(4);
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t bytes : {0, 100, 1000, 10'000, 40'000}) {
    SCOPED_TRACE(str("at most ", bytes, " bytes"));
    const std::string old = trial.state();
    const rlimit small = {.rlim_cur = bytes, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(trial.run(), IoError);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(trial.state(), old);
  }
  std::signal(SIGXFSZ, handler);
  trial.run();
  EXPECT_NE(trial.state().find("is whole"), std::string::npos);
}

// Saves in a process of its own, whose n-th malloc fails, and returns how it
// ended.
enum class End { kSuccess, kError, kCrash };
End save_in_a_child(const std::string& path, const Entries& entries,
                    int64_t n) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    const FaultScope scope(Fault::kMalloc, n);
    try {
      save(path, entries, 4);
    } catch (const Error&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (!WIFEXITED(status)) {
    EXPECT_NE(WTERMSIG(status), SIGALRM) << "malloc call " << n;
    return End::kCrash;
  }
  return WEXITSTATUS(status) == 0 ? End::kSuccess : End::kError;
}

// libhdf5 does not survive every lack of memory: it may fail ever after, or
// crash. The file is whole all the same, and what a process that crashed has
// left goes when it is next written.
TEST(Hdf5FaultTest, AFileIsWholeWhereLibhdf5HasNoMemory) {
  const Entries written = entries();
  const TempFolder folder;
  const std::string path = folder.file("a.h5");
  save(path, written, 4);
  const std::string whole = content_of(path, written);
  int64_t calls = 0;
  {
    const FaultScope scope;
    save(path, written, 4);
    calls = scope.calls(Fault::kMalloc);
  }
  ASSERT_GT(calls, 100);
  int ends[3] = {};
  for (int64_t n = 1; n <= calls; n += 13) {
    SCOPED_TRACE(str("malloc call ", n, " of ", calls));
    write_file(path, kOld);
    const End end = save_in_a_child(path, written, n);
    ++ends[static_cast<int>(end)];
    const std::string content = content_of(path, written);
    ASSERT_TRUE(content == kOld || content == whole) << content.size();
    if (end == End::kSuccess) {
      EXPECT_EQ(content, whole);
    }
    save(path, written, 4);
    EXPECT_EQ(content_of(path, written), whole);
    EXPECT_EQ(
        std::distance(std::filesystem::directory_iterator(folder.path()), {}),
        1);
  }
  std::printf("malloc in libhdf5: %d times no harm, %d errors, %d crashes\n",
              ends[0], ends[1], ends[2]);
}

ChainList layers() {
  ChainList link;
  for (int i = 0; i < 4; ++i) link.append(links::Linear(30, 2));
  return link;
}

const std::string& path_of_layers() {
  static const TempFolder folder;
  static const std::string path = [] {
    ChainList link = layers();
    serializers::save_hdf5(folder.file("a.h5"), link);
    return folder.file("a.h5");
  }();
  return path;
}

// Loads into a link with other values.
class LoadingTrial final : public FaultTrial {
 public:
  LoadingTrial() {
    for (const auto& [path, param] : link_.namedparams()) param.data().fill(7);
  }
  void run() override { serializers::load_hdf5(path_of_layers(), link_); }
  std::string state() override { return testing::bits_of(link_); }

 private:
  ChainList link_ = layers();
};

TEST(Hdf5FaultTest, ALinkIsLoadedWholeOrNotAtAll) {
  path_of_layers();
  expect_faults_do_no_harm(
      {"load_hdf5", [] { return std::make_unique<LoadingTrial>(); }});
}

// The first file that is opened is the one without a name. The library would
// want a lock of its own on the named one, which has ours.
TEST(Hdf5FaultTest, AFileSystemWithoutUnnamedFilesIsNoObstacle) {
  WritingTrial trial(4);
  {
    const FaultScope first_fails(Fault::kOpen, 1);
    trial.run();
    const NoFaults suspended;
    ASSERT_TRUE(first_fails.has_failed());
  }
  EXPECT_NE(trial.state().find("is whole"), std::string::npos);
}

}  // namespace
}  // namespace catena::testing
