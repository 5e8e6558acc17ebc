// Tests event files with a decoder that is independent of the writer.

#include "catena/training/extensions/tensorboard_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/tensorboard/crc32c.h"
#include "catena/training/tensorboard/event_writer.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using tensorboard::EventWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_file;
using testing::ScriptedTraining;
using testing::TempFolder;
using testing::write_file;

// CRC-32C bit by bit: the remainder of a polynomial division.
uint32_t slow_crc32c(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool is_odd = ((crc ^ (static_cast<uint8_t>(c) >> bit)) & 1) != 0;
      crc = is_odd ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
    }
  }
  return crc ^ 0xffffffff;
}

TEST(Crc32cTest, HasTheStandardsValues) {
  // RFC 3720, B.4: 32 bytes of 0, of 1 bits, and ascending; and the check
  // value of the catalogues.
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending += c;
  EXPECT_EQ(tensorboard::crc32c(std::string(32, '\0')), 0x8a9136aa);
  EXPECT_EQ(tensorboard::crc32c(std::string(32, '\xff')), 0x62a8ab43);
  EXPECT_EQ(tensorboard::crc32c(ascending), 0x46dd794e);
  EXPECT_EQ(tensorboard::crc32c("123456789"), 0xe3069283);
  EXPECT_EQ(slow_crc32c("123456789"), 0xe3069283);
}

template <class T>
T number_at(std::string_view bytes, size_t position) {
  T value;
  std::memcpy(&value, bytes.substr(position, sizeof(T)).data(), sizeof(T));
  return value;
}

uint32_t unmasked(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8;
  return (rotated >> 17) | (rotated << 15);
}

// The records of a file; checks checksums, and that the last record is
// complete.
std::vector<std::string> records_of(std::string_view file) {
  std::vector<std::string> records;
  while (!file.empty()) {
    const auto length = number_at<uint64_t>(file, 0);
    EXPECT_EQ(unmasked(number_at<uint32_t>(file, 8)),
              slow_crc32c(file.substr(0, 8)));
    records.emplace_back(file.substr(12, length));
    EXPECT_EQ(records.back().size(), length);
    EXPECT_EQ(unmasked(number_at<uint32_t>(file, 12 + length)),
              slow_crc32c(records.back()));
    file.remove_prefix(16 + length);
  }
  return records;
}

// The fields of a message by number: varints and fixed numbers as their bits,
// the rest as bytes.
struct Fields {
  std::multimap<int, uint64_t> numbers;
  std::multimap<int, std::string> texts;

  std::string text(int field) const {
    const auto it = texts.find(field);
    return it == texts.end() ? "" : it->second;
  }
  uint64_t number(int field) const {
    const auto it = numbers.find(field);
    return it == numbers.end() ? 0 : it->second;
  }
  double real(int field) const { return std::bit_cast<double>(number(field)); }
};

Fields fields_of(std::string_view message) {
  Fields fields;
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0; !message.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(message[0]);
      message.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (!message.empty()) {
    const uint64_t key = varint();
    const int field = static_cast<int>(key >> 3);
    switch (key & 7) {
      case 0:
        fields.numbers.emplace(field, varint());
        break;
      case 1:
        fields.numbers.emplace(field, number_at<uint64_t>(message, 0));
        message.remove_prefix(8);
        break;
      case 5:
        fields.numbers.emplace(field, number_at<uint32_t>(message, 0));
        message.remove_prefix(4);
        break;
      case 2: {
        const uint64_t length = varint();
        fields.texts.emplace(field, std::string(message.substr(0, length)));
        message.remove_prefix(length);
        break;
      }
      default:
        ADD_FAILURE() << "wire type " << (key & 7);
        return fields;
    }
  }
  return fields;
}

std::vector<double> doubles_of(std::string_view packed) {
  std::vector<double> values;
  for (; !packed.empty(); packed.remove_prefix(8)) {
    values.push_back(number_at<double>(packed, 0));
  }
  return values;
}

// Events as text: "3 main/loss=0.5", "4 restart", ...
std::vector<std::string> events_of(const std::string& file) {
  std::vector<std::string> events;
  for (const std::string& record : records_of(read_file(file))) {
    const Fields event = fields_of(record);
    EXPECT_GT(event.real(1), 1.5e9);  // seconds since 1970
    const auto step = static_cast<int64_t>(event.number(2));
    if (event.texts.contains(3)) events.push_back(event.text(3));
    if (event.texts.contains(7)) {
      EXPECT_EQ(fields_of(event.text(7)).number(1), 1u);
      events.push_back(str(step, " restart"));
    }
    for (const auto& [number, text] : fields_of(event.text(5)).texts) {
      const Fields value = fields_of(text);
      if (!value.numbers.contains(2)) continue;
      // Streams show six digits of it.
      std::ostringstream event_text;
      event_text << step << " " << value.text(1) << "="
                 << std::bit_cast<float>(
                        static_cast<uint32_t>(value.number(2)));
      events.push_back(event_text.str());
    }
  }
  return events;
}

// The one value of an event file's last event.
Fields last_value_of(const std::string& file) {
  const auto records = records_of(read_file(file));
  return fields_of(fields_of(fields_of(records.back()).text(5)).text(1));
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

TEST(EventWriterTest, WritesScalars) {
  const TempFolder folder;
  EventWriter writer(folder.file("events"));
  const auto inf = std::numeric_limits<double>::infinity();
  writer.add_scalar("loss", 0.5, 1);
  const tensorboard::TaggedScalar both[] = {{"a", -inf}, {"b", 0.1}};
  writer.add_scalars(both, int64_t{1} << 40);
  writer.add_scalars({}, 3);
  writer.add_session_start(7);
  EXPECT_THAT(read_file(writer.path()), IsEmpty());
  writer.flush();
  EXPECT_THAT(events_of(writer.path()),
              ElementsAre("brain.Event:2", "1 loss=0.5", "1099511627776 a=-inf",
                          "1099511627776 b=0.1", "7 restart"));
  EXPECT_THAT(std::filesystem::path(writer.path()).filename().string(),
              ::testing::StartsWith("events.out.tfevents."));
}

TEST(EventWriterTest, WritesHistograms) {
  const TempFolder folder;
  EventWriter writer(folder.path());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Array values = array::arange(31, Dtype::kFloat32);
  writer.add_histogram("W", values, 2);
  writer.flush();
  const Fields value = last_value_of(writer.path());
  EXPECT_EQ(value.text(1), "W");
  const Fields histogram = fields_of(value.text(5));
  EXPECT_EQ(histogram.real(1), 0);
  EXPECT_EQ(histogram.real(2), 30);
  EXPECT_EQ(histogram.real(3), 31);
  EXPECT_EQ(histogram.real(4), 465);
  EXPECT_EQ(histogram.real(5), 9455);
  std::vector<double> limits;
  for (int i = 1; i <= 30; ++i) limits.push_back(i);
  EXPECT_EQ(doubles_of(histogram.text(6)), limits);
  std::vector<double> counts(30, 1);
  counts.back() = 2;  // the last bin includes its right end
  EXPECT_EQ(doubles_of(histogram.text(7)), counts);

  const size_t size = std::filesystem::file_size(writer.path());
  writer.add_histogram("W", array::full({3}, nan), 3);
  writer.flush();
  EXPECT_EQ(std::filesystem::file_size(writer.path()), size);

  // Histograms of one value, and of the widest possible range.
  const double max = std::numeric_limits<double>::max();
  for (const double low : {max, -max}) {
    Array two = array::full({2}, max);
    two[0].fill(low);
    writer.add_histogram("W", two, 4);
    writer.flush();
    const Fields wide = fields_of(last_value_of(writer.path()).text(5));
    double sum = 0;
    for (const double count : doubles_of(wide.text(7))) sum += count;
    EXPECT_EQ(sum, 2);
    EXPECT_EQ(wide.real(1), low);
    EXPECT_EQ(doubles_of(wide.text(6)).back(), max);
  }
}

TEST(EventWriterTest, WritesTexts) {
  const TempFolder folder;
  EventWriter writer(folder.path());
  writer.add_text("note", "**bold**", 0);
  writer.flush();
  const Fields value = last_value_of(writer.path());
  EXPECT_EQ(value.text(1), "note");
  EXPECT_EQ(fields_of(value.text(8)).number(1), 7u);  // DT_STRING
  EXPECT_EQ(fields_of(value.text(8)).text(8), "**bold**");
  EXPECT_EQ(fields_of(fields_of(value.text(9)).text(1)).text(1), "text");
}

TEST(EventWriterTest, EachHasAFileOfItsOwn) {
  const TempFolder folder;
  const EventWriter first(folder.path());
  const EventWriter second(folder.path());
  EXPECT_NE(first.path(), second.path());
}

// A full disk: no file of the process may grow beyond 200 bytes.
TEST(EventWriterTest, AFileThatCannotGrowKeepsItsWholeRecords) {
  const TempFolder folder;
  EventWriter writer(folder.path());
  writer.add_scalar("loss", 1, 1);
  writer.flush();
  const std::string before = read_file(writer.path());
  struct rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const struct rlimit small = {before.size() + 20, limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  writer.add_scalar("loss", 2, 2);
  std::string message;
  try {
    writer.flush();
  } catch (const IoError& error) {
    message = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("EventWriter: cannot write '" + writer.path() +
                                 "': File too large"));
  EXPECT_EQ(read_file(writer.path()), before);
  writer.flush();
  EXPECT_THAT(events_of(writer.path()),
              ElementsAre("brain.Event:2", "1 loss=1", "2 loss=2"));
}

TEST(EventWriterTest, AFolderThatCannotBeMadeIsAnError) {
  const TempFolder folder;
  write_file(folder.file("file"), "");
  EXPECT_THAT(error_of<IoError>([&] { EventWriter(folder.file("file/x")); }),
              HasSubstr("cannot create the folder"));
}

void report_scalars(ScriptedTraining& training) {
  training.updater.on_update = [](int64_t iteration) {
    report({{"loss", 1.0 / static_cast<double>(iteration)}, {"other", 3}});
  };
}

TEST(TensorBoardReportTest, WritesTheMeansOfEachEpoch) {
  ScriptedTraining training({4, "iteration"});
  report_scalars(training);
  training.trainer.extend(TensorBoardReport());
  training.trainer.run();
  const auto files = files_in(training.trainer.out_path("tensorboard"));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(
      events_of(files[0]),
      ElementsAre("brain.Event:2", "2 loss=0.75", "2 other=3", "2 epoch=1",
                  "4 loss=0.291667", "4 other=3", "4 epoch=2"));
}

TEST(TensorBoardReportTest, WritesWhatItIsTold) {
  ScriptedTraining training({2, "iteration"});
  report_scalars(training);
  Param& W = training.updater.model.W;
  W.set_grad(array::full_like(W.data(), 0.5));
  training.trainer.extend(
      TensorBoardReport({.keys = std::vector<std::string>{"loss"},
                         .trigger = {1, "iteration"},
                         .histograms = {&training.updater.model},
                         .folder = "events"}));
  training.trainer.run();
  const std::string file = files_in(training.trainer.out_path("events"))[0];
  EXPECT_THAT(events_of(file),
              ElementsAre("brain.Event:2", "1 loss=1", "1 epoch=0.5",
                          "2 loss=0.5", "2 epoch=1"));
  EXPECT_EQ(last_value_of(file).text(1), "grad/W");
}

TEST(TensorBoardReportTest, AResumedTrainingWritesTheRest) {
  const TempFolder folder;
  std::vector<std::string> events;
  for (const int end : {3, 6}) {
    ScriptedTraining training({end, "iteration"});
    report_scalars(training);
    const auto& report = training.trainer.extend(TensorBoardReport());
    if (end == 6) serializers::load_npz(folder.file("s"), training.trainer);
    EXPECT_EQ(report.writer(), nullptr);
    training.trainer.run();
    EXPECT_EQ(report.writer(), nullptr);
    serializers::save_npz(folder.file("s"), training.trainer);
    events = events_of(files_in(training.trainer.out_path("tensorboard"))[0]);
  }
  EXPECT_THAT(events, ElementsAre("brain.Event:2", "4 restart",
                                  "4 loss=0.291667", "4 other=3", "4 epoch=2",
                                  "6 loss=0.183333", "6 other=3", "6 epoch=3"));
}

TEST(TensorBoardReportTest, RejectsBadArguments) {
  EXPECT_THAT(error_of<ValueError>([] { TensorBoardReport({.folder = ""}); }),
              HasSubstr("a folder, got none"));
  EXPECT_THAT(error_of<ValueError>(
                  [] { TensorBoardReport({.histograms = {nullptr}}); }),
              HasSubstr("got a null pointer"));
}

}  // namespace
}  // namespace catena::training::extensions
