#include "catena/dataset/download.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/dataset/sha256.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::dataset {
namespace {

namespace fs = std::filesystem;
using ::catena::testing::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TempFolder;
using testing::write_file;

class DownloadTest : public ::testing::Test {
 protected:
  DownloadTest() {
    set_dataset_root(folder.file("root"));
    write_file(folder.file("source"), "content");
  }
  ~DownloadTest() override { set_dataset_root(""); }

  std::string url(const std::string& name) const {
    return "file://" + folder.file(name);
  }
  size_t files_in_folder() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         fs::directory_iterator(folder.path())) {
      ++count;
    }
    return count;
  }

  TempFolder folder;
};

TEST_F(DownloadTest, TheRootIsWhatWasSetElseFromTheEnvironment) {
  EXPECT_EQ(get_dataset_root(), folder.file("root"));
  set_dataset_root("");
  ASSERT_EQ(setenv("CATENA_DATASET_ROOT", "/some/place", 1), 0);
  EXPECT_EQ(get_dataset_root(), "/some/place");
  ASSERT_EQ(setenv("CATENA_DATASET_ROOT", "", 1), 0);
  ASSERT_EQ(setenv("CHAINER_DATASET_ROOT", "/chainers/place", 1), 0);
  EXPECT_EQ(get_dataset_root(), "/chainers/place");
  ASSERT_EQ(unsetenv("CHAINER_DATASET_ROOT"), 0);
  ASSERT_EQ(setenv("HOME", "/home/somebody", 1), 0);
  EXPECT_EQ(get_dataset_root(), "/home/somebody/.catena/dataset");
  ASSERT_EQ(unsetenv("HOME"), 0);
  EXPECT_THAT(error_of<ValueError>([] { get_dataset_root(); }),
              HasSubstr("CATENA_DATASET_ROOT"));
}

TEST_F(DownloadTest, DirectoriesAreMadeUnlessAskedOtherwise) {
  const std::string plain = get_dataset_directory("a/b", CreateDirectory::kNo);
  EXPECT_EQ(plain, folder.file("root") + "/a/b");
  EXPECT_FALSE(fs::exists(plain));
  EXPECT_EQ(get_dataset_directory("a/b"), plain);
  EXPECT_TRUE(fs::is_directory(plain));
  set_dataset_root(folder.file("source"));  // a file
  EXPECT_THAT(error_of<IoError>([] { get_dataset_directory("a"); }),
              HasSubstr("cannot create"));
}

TEST_F(DownloadTest, WritesTheContentAndNothingElse) {
  const std::string path = folder.file("copy");
  download({url("source")}, path, {.sha256 = sha256(std::string("content"))});
  EXPECT_EQ(read_file(path), "content");
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(DownloadTest, TriesOneUrlAfterTheOther) {
  const std::string path = folder.file("copy");
  download({url("missing"), url("source")}, path);
  EXPECT_EQ(read_file(path), "content");
}

TEST_F(DownloadTest, SaysWhatFailedAndLeavesNothing) {
  const std::string path = folder.file("copy");
  EXPECT_THAT(
      error_of<IoError>([&] {
        download({url("missing"), url("source")}, path, {.sha256 = "ab"});
      }),
      AllOf(HasSubstr("cannot get '" + path), HasSubstr(url("missing")),
            HasSubstr(url("source") + ": expected the SHA-256 ab, got "
                                      "ed7002b4")));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(DownloadTest, RefusesWhatIsTooLarge) {
  EXPECT_THAT(error_of<IoError>([&] {
                download({url("source")}, folder.file("copy"),
                         {.max_bytes = 6});
              }),
              HasSubstr("more than 6 bytes"));
}

TEST_F(DownloadTest, RefusesOtherProtocolsAndHostsThatDoNotExist) {
  EXPECT_THROW(download({"gopher://localhost/x"}, folder.file("copy")),
               IoError);
  EXPECT_THAT(error_of<IoError>([&] {
                download({"http://host.invalid/x"}, folder.file("copy"));
              }),
              HasSubstr("http://host.invalid/x: "));
}

// libcurl takes eight million characters.
TEST_F(DownloadTest, AnOptionThatLibcurlRefusesIsAnError) {
  const std::string url = "file:///" + std::string(9'000'000, 'x');
  EXPECT_THAT(error_of<IoError>([&] { download({url}, folder.file("copy")); }),
              HasSubstr("libcurl refuses its option"));
}

TEST_F(DownloadTest, ADownloadIsCached) {
  const std::string path = cached_download(url("source"));
  EXPECT_EQ(read_file(path), "content");
  EXPECT_THAT(path, HasSubstr(folder.file("root") + "/_dl_cache/"));
  fs::remove(folder.file("source"));
  EXPECT_EQ(cached_download(url("source")), path);
}

TEST_F(DownloadTest, ADamagedFileInTheCacheIsDownloadedAgain) {
  const DownloadOptions options = {.sha256 = sha256(std::string("content"))};
  const std::string path = cached_download(url("source"), options);
  write_file(path, "damaged");
  EXPECT_EQ(cached_download(url("source"), options), path);
  EXPECT_EQ(read_file(path), "content");
}

TEST_F(DownloadTest, WhatChainerDownloadedIsFound) {
  const char* home = std::getenv("HOME");
  const std::string before = home != nullptr ? home : "";
  ASSERT_EQ(setenv("HOME", folder.path().c_str(), 1), 0);
  EXPECT_EQ(dataset_roots(), std::vector{folder.file("root")});
  const std::string chainers = folder.file(".chainer/dataset");
  fs::create_directories(chainers + "/_dl_cache");
  EXPECT_THAT(dataset_roots(), ElementsAre(folder.file("root"), chainers));
  // md5 of the URL
  const std::string far = "http://example.com/a";
  const std::string file =
      chainers + "/_dl_cache/3e27a17e84f5f8486fbc14488e12e6ff";
  EXPECT_EQ(md5(far), "3e27a17e84f5f8486fbc14488e12e6ff");
  write_file(file, "Chainer's");
  EXPECT_EQ(cached_download(far), file);
  EXPECT_EQ(find_chainers_download({"http://example.com/b", far},
                                   sha256(std::string("Chainer's"))),
            file);
  EXPECT_EQ(find_chainers_download({far}, sha256(std::string("other"))),
            std::nullopt);
  setenv("HOME", before.c_str(), 1);
}

TEST_F(DownloadTest, CacheOrLoadFileCreatesOnce) {
  const std::string path = folder.file("cache");
  int created = 0;
  const auto creator = [&](const std::string& temporary) {
    EXPECT_FALSE(fs::exists(temporary));
    EXPECT_NE(temporary, path);
    ++created;
    write_file(temporary, "made");
    return std::string("made");
  };
  EXPECT_EQ(cache_or_load_file(path, creator, read_file), "made");
  EXPECT_EQ(cache_or_load_file(path, creator, read_file), "made");
  EXPECT_EQ(created, 1);
  EXPECT_EQ(files_in_folder(), 2u);
}

TEST_F(DownloadTest, AFailedCreatorLeavesNothing) {
  const std::string path = folder.file("cache");
  const auto creator = [&](const std::string& temporary) -> std::string {
    write_file(temporary, "half");
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(cache_or_load_file(path, creator, read_file),
               std::runtime_error);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(files_in_folder(), 1u);
  const auto forgetful = [](const std::string&) { return std::string(); };
  EXPECT_THROW(cache_or_load_file(path, forgetful, read_file), IoError);
  EXPECT_THROW(cache_or_load_file(folder.file("no/such"), creator, read_file),
               IoError);
}

TEST_F(DownloadTest, ThreadsThatCreateAtOnceAllSucceed) {
  const std::string path = folder.file("cache");
  std::vector<std::thread> threads;
  std::vector<std::string> results(4);
  for (std::string& result : results) {
    threads.emplace_back([&] {
      result = cache_or_load_file(
          path,
          [](const std::string& temporary) {
            write_file(temporary, "made");
            return std::string("made");
          },
          read_file);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(results, ::testing::Each("made"));
  EXPECT_EQ(read_file(path), "made");
}

// Serves one file on this machine, one request at a time.
class Server {
 public:
  enum class Manner { kGood, kNoRanges, kNotSatisfiable, kMissing };

  explicit Server(std::string content) : content_(std::move(content)) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, any, size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_) + "/folder/file.bin";
  }
  // Set between requests.
  std::atomic<Manner> manner = Manner::kGood;
  // Bytes of content after which the connection breaks.
  std::atomic<size_t> breaks_after = std::string::npos;
  // The "Range" of each request, or "".
  std::vector<std::string> ranges() {
    const std::lock_guard lock(mutex_);
    return ranges_;
  }

 private:
  void serve() {
    for (;;) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) return;
      answer(client);
      ::close(client);
    }
  }

  void answer(int client) {
    std::string request;
    while (request.find("\r\n\r\n") == std::string::npos) {
      char buffer[1024];
      const ssize_t got = ::read(client, buffer, sizeof(buffer));
      if (got <= 0) return;
      request.append(buffer, static_cast<size_t>(got));
    }
    const size_t range = request.find("Range: bytes=");
    size_t from = 0;
    if (range != std::string::npos)
      from = std::stoul(request.substr(range + 13));
    {
      const std::lock_guard lock(mutex_);
      ranges_.push_back(range == std::string::npos ? "" : std::to_string(from));
    }
    const Manner how = manner;
    std::string head;
    std::string body;
    if (how == Manner::kMissing) {
      head = "404 Not Found\r\nContent-Length: 0";
    } else if (how == Manner::kNotSatisfiable && from > 0) {
      head = "416 Range Not Satisfiable\r\nContent-Length: 0";
    } else if (how == Manner::kGood && from > 0) {
      body = content_.substr(from);
      head = "206 Partial Content\r\nContent-Length: " +
             std::to_string(body.size()) + "\r\nContent-Range: bytes " +
             std::to_string(from) + "-" + std::to_string(content_.size() - 1) +
             "/" + std::to_string(content_.size());
    } else {
      body = content_;
      head = "200 OK\r\nContent-Length: " + std::to_string(body.size());
    }
    const std::string all = "HTTP/1.1 " + head +
                            "\r\nConnection: close\r\n\r\n" +
                            body.substr(0, breaks_after);
    for (size_t at = 0; at < all.size();) {
      const ssize_t sent =
          ::send(client, all.data() + at, all.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<size_t>(sent);
    }
  }

  std::string content_;
  int socket_ = -1;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<std::string> ranges_;
};

class ServerTest : public DownloadTest {
 protected:
  ServerTest() : server(content()) {
    for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy"}) {
      unsetenv(name);
    }
  }
  static std::string content() {
    std::string bytes;
    for (int64_t i = 0; i < 100'000; ++i) {
      bytes += static_cast<char>(i * i % 251);
    }
    return bytes;
  }
  void fetch() const { download({server.url()}, path, options); }
  void break_after(size_t bytes) {
    server.breaks_after = bytes;
    EXPECT_THROW(fetch(), IoError);
    EXPECT_FALSE(fs::exists(path));
    server.breaks_after = std::string::npos;
  }

  Server server;
  const std::string path = folder.file("copy");
  DownloadOptions options = {.sha256 = sha256(content())};
};

TEST_F(ServerTest, GoesOnWhereItWasInterrupted) {
  break_after(30'000);
  EXPECT_EQ(read_file(path + ".part"), content().substr(0, 30'000));
  break_after(20'000);
  fetch();
  EXPECT_EQ(read_file(path), content());
  EXPECT_FALSE(fs::exists(path + ".part"));
  EXPECT_THAT(server.ranges(), ElementsAre("", "30000", "50000"));
}

TEST_F(ServerTest, WithoutAChecksumItBeginsAnew) {
  options.sha256.clear();
  break_after(30'000);
  EXPECT_FALSE(fs::exists(path + ".part"));
  fetch();
  EXPECT_EQ(read_file(path), content());
  EXPECT_THAT(server.ranges(), ElementsAre("", ""));
}

TEST_F(ServerTest, BeginsAnewWhenTheServerCannotGoOn) {
  for (const auto manner :
       {Server::Manner::kNoRanges, Server::Manner::kNotSatisfiable}) {
    break_after(30'000);
    server.manner = manner;
    fetch();
    EXPECT_EQ(read_file(path), content());
    fs::remove(path);
    server.manner = Server::Manner::kGood;
  }
}

TEST_F(ServerTest, BeginsAnewWhenWhatWasThereIsWrong) {
  write_file(path + ".part", std::string(5'000, 'x'));
  fetch();
  EXPECT_EQ(read_file(path), content());
  EXPECT_THAT(server.ranges(), ElementsAre("5000", ""));
}

TEST_F(ServerTest, WhatIsAlreadyWholeIsNotFetchedAgain) {
  write_file(path + ".part", content());
  fetch();
  EXPECT_EQ(read_file(path), content());
  EXPECT_THAT(server.ranges(), ElementsAre());
}

TEST_F(ServerTest, ALinkInPlaceOfWhatWasThereIsNotFollowed) {
  write_file(folder.file("other"), "of someone else");
  fs::create_symlink(folder.file("other"), path + ".part");
  EXPECT_THAT(error_of<IoError>([&] { fetch(); }),
              AllOf(HasSubstr("cannot create"), HasSubstr(".part'")));
  EXPECT_EQ(read_file(folder.file("other")), "of someone else");
}

TEST_F(ServerTest, AServerThatLacksTheFileCostsNothing) {
  break_after(30'000);
  server.manner = Server::Manner::kMissing;
  EXPECT_THAT(error_of<IoError>([&] { fetch(); }), HasSubstr("404"));
  EXPECT_EQ(fs::file_size(path + ".part"), 30'000u);
}

TEST_F(ServerTest, ThreadsThatDownloadAtOnceFetchItOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      fetch();
      EXPECT_EQ(read_file(path), content());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(server.ranges(), ElementsAre(""));
  EXPECT_FALSE(fs::exists(path + ".part"));
}

TEST_F(ServerTest, ReportsHowFarItIs) {
  break_after(40'000);
  std::vector<DownloadProgress> reports;
  options.progress = [&](const DownloadProgress& progress) {
    reports.push_back(progress);
  };
  fetch();
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().received, 100'000);
  EXPECT_EQ(reports.back().total, 100'000);
  EXPECT_GE(reports.front().received, 40'000);
  fs::remove(path);
  options.progress = [](const DownloadProgress&) {
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(fetch(), std::runtime_error);
  EXPECT_FALSE(fs::exists(path));
}

TEST(DownloadProgressTest, IsABarOnOneLine) {
  std::ostringstream stream;
  const OnDownloadProgress bar = download_progress_bar(stream);
  const std::string url = "https://host/folder/file.bin";
  bar({.url = url, .received = 5'000'000, .total = 10'000'000});
  EXPECT_EQ(stream.str(), "\rfile.bin [" + std::string(15, '#') +
                              std::string(15, '.') + "] 50% of 10.0 MB");
  // Too early to be redrawn, unless the download is complete.
  bar({.url = url, .received = 6'000'000, .total = 10'000'000});
  bar({.url = url, .received = 10'000'000, .total = 10'000'000});
  bar({.url = url, .received = 10'000'000, .total = 10'000'000});
  EXPECT_THAT(stream.str(),
              EndsWith("50% of 10.0 MB\rfile.bin [" + std::string(30, '#') +
                       "] 100% of 10.0 MB\n"));
  std::ostringstream unknown;
  download_progress_bar(unknown)(
      {.url = url, .received = 1'250'000, .total = 0});
  EXPECT_EQ(unknown.str(), "\rfile.bin 1.2 MB");
}

}  // namespace
}  // namespace catena::dataset
