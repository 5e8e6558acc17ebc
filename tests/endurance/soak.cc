// Trains for hours in one process, and checks after each round that nothing has
// grown:
//
//   soak [--hours=N | --seconds=N]      60 seconds by default
//
// A round trains with examples read by threads, evaluates with copied
// iterators, saves, resumes in a second trainer, changes shapes, starts and
// joins threads, and runs extensions that throw. Its results must be those of
// the first round to the bit; after two rounds, the live bytes of the heap and
// of the memory pool, open files and threads must be what they were, and
// resident memory apart from what the pool has cached: it may grow by 1 MiB an
// hour, as may all of it in the second half of an hour or more, when the pool's
// caches are full. Then trainers run one after another and 32 at once. Prints a
// line for each check; exit code 1: something grew or changed.

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catena/catena.h"
#include "catena/tests/endurance/noisy_training.h"
#include "catena/tests/support/arguments.h"
#include "catena/tests/support/counted_heap.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

constexpr size_t kOrdinary = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

void* allocate(size_t bytes, size_t alignment) {
  void* const block = std::aligned_alloc(
      alignment, catena::testing::counted_size(bytes, alignment));
  if (block == nullptr) throw std::bad_alloc();
  return catena::testing::begin_counted(block, bytes, alignment);
}

void release(void* data, size_t alignment) {
  if (data != nullptr) {
    std::free(catena::testing::end_counted(data, alignment));
  }
}

}  // namespace

void* operator new(size_t bytes) { return allocate(bytes, kOrdinary); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* data) noexcept { release(data, kOrdinary); }
void operator delete(void* data, size_t) noexcept { release(data, kOrdinary); }
void operator delete(void* data, std::align_val_t alignment) noexcept {
  release(data, static_cast<size_t>(alignment));
}
void operator delete(void* data, size_t, std::align_val_t alignment) noexcept {
  release(data, static_cast<size_t>(alignment));
}

namespace catena {
namespace {

namespace extensions = training::extensions;
using testing::MadeUpData;
using testing::NoisyMLP;
using Clock = std::chrono::steady_clock;

// What a process holds.
struct Holding {
  int64_t heap;
  int64_t pool;
  int64_t files;
  int64_t threads;
  int64_t cached;    // by the pool: free, but resident
  int64_t resident;  // all of the process

  static Holding now() {
    std::ifstream statm("/proc/self/statm");
    int64_t pages = 0;
    int64_t resident = 0;
    statm >> pages >> resident;
    const MemoryPoolStatistics pool = cpu::memory_pool_statistics();
    return {testing::counted_bytes,
            pool.used_bytes,
            entries_in("/proc/self/fd"),
            entries_in("/proc/self/task"),
            pool.free_bytes,
            resident * sysconf(_SC_PAGESIZE)};
  }

  // Resident memory outside of the pool: that of the system's allocator.
  int64_t outside() const { return resident - cached - pool; }

  // Apart from resident memory, which check() compares.
  bool operator==(const Holding& other) const {
    return heap == other.heap && pool == other.pool && files == other.files &&
           threads == other.threads;
  }

  std::string text() const {
    return str("heap ", heap, ", pool ", pool, ", files ", files, ", threads ",
               threads, ", cached ", cached >> 10, " KiB, resident ",
               resident >> 10, " KiB");
  }

 private:
  static int64_t entries_in(const char* folder) {
    int64_t count = 0;
    DIR* const entries = opendir(folder);
    while (readdir(entries) != nullptr) ++count;
    closedir(entries);
    return count;
  }
};

// A number that depends on each bit of the parameters.
uint64_t digest(const Link& model) {
  uint64_t digest = 0;
  for (const Parameter& param : model.params()) {
    for (const uint8_t byte :
         param.array().ravel().view(Dtype::kUInt8).to_vector<uint8_t>()) {
      digest = (digest ^ byte) * 0x100000001b3;
    }
  }
  return digest;
}

// Trains to `epochs`, from the snapshot in the folder if there is one.
uint64_t train(const std::string& folder, int64_t epochs, Device device,
               int64_t batch = 16) {
  const DeviceScope scope(device);
  array::random::seed(7, device);
  links::Classifier model((NoisyMLP()));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  iterators::MultithreadIterator iterator(MadeUpData(100), batch,
                                          {.n_threads = 2, .seed = 3});
  iterators::SerialIterator test(MadeUpData(40), 10,
                                 {.repeat = false, .shuffle = false});
  training::StandardUpdater updater(iterator, optimizer, {.device = device});
  training::Trainer trainer(updater, {epochs, "epoch"}, {.out = folder});
  trainer.extend(extensions::Evaluator(test, model, {.device = device}));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::snapshot({.n_retains = 1, .autoload = true}));
  trainer.run();
  return digest(model);
}

// An extension that throws ends training, and nothing else.
void train_and_fail(const std::string& folder) {
  links::Classifier model((NoisyMLP()));
  optimizers::SGD optimizer;
  optimizer.setup(model);
  iterators::SerialIterator iterator(MadeUpData(30), 10);
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {9, "iteration"}, {.out = folder});
  trainer.extend([](training::Trainer& self) {
    if (self.updater().iteration() == 4) throw std::runtime_error("on purpose");
  });
  try {
    trainer.run({.show_loop_exception_msg = false});
  } catch (const std::runtime_error&) {
    return;
  }
  throw std::logic_error("expected an exception of the extension");
}

// Forward and backward with another shape each time.
double changing_shapes() {
  double sum = 0;
  for (int64_t n = 1; n <= 40; n += 3) {
    const Variable x(array::full({n, 50 - n}, 0.5));
    const Variable y = functions::sum(functions::tanh(x * x));
    y.backward();
    sum += x.grad().sum().item<double>();
  }
  return sum;
}

struct Results {
  uint64_t trained = 0;
  uint64_t resumed = 0;
  double shapes = 0;
  double threads = 0;
  bool operator==(const Results&) const = default;
};

Results round() {
  Results results;
  {
    const testing::TempFolder folder;
    results.trained = train(folder.file("whole"), 4, native_device());
    train(folder.file("parts"), 2, native_device());
    results.resumed = train(folder.file("parts"), 4, native_device());
    train_and_fail(folder.file("failed"));
  }
  results.shapes = changing_shapes();
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (double& sum : sums) {
    threads.emplace_back([&sum] { sum = changing_shapes(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double sum : sums) results.threads += sum;
  return results;
}

// Whether what a process holds and the results are the same.
bool check(const std::string& what, const Holding& before) {
  Holding after = Holding::now();
  // A thread that was joined may still be there for the system.
  for (int tries = 0; tries < 1000 && after.threads != before.threads;
       ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    after = Holding::now();
  }
  std::cout << what << ": " << after.text() << std::endl;
  if (after == before) return true;
  std::cout << "expected " << before.text() << std::endl;
  return false;
}

// Whether a number of resident bytes has grown by at most 1 MiB, or 1 MiB an
// hour.
bool grew_little(const std::string& what, int64_t before, int64_t after,
                 std::chrono::duration<double> time) {
  const double hours = time / std::chrono::hours(1);
  if (static_cast<double>(after - before) <=
      std::max(1.0, hours) * static_cast<double>(1 << 20)) {
    return true;
  }
  std::cout << what << ": expected 1 MiB an hour more than " << (before >> 10)
            << " KiB, got " << (after >> 10) << " KiB" << std::endl;
  return false;
}

bool run(std::chrono::duration<double> duration) {
  const auto begin = Clock::now();
  const auto end = begin + duration;
  const Results first = round();
  if (first.trained != first.resumed) {
    std::cout << "training that was resumed ends elsewhere" << std::endl;
    return false;
  }
  round();
  const Holding warm = Holding::now();
  std::cout << "warm: " << warm.text() << std::endl;
  bool is_right = true;
  std::optional<Holding> half;
  int64_t rounds = 0;
  // Two thirds of the time for rounds.
  for (; is_right && (rounds < 3 || Clock::now() < end - duration / 3);
       ++rounds) {
    if (round() != first) {
      std::cout << "other results" << std::endl;
      is_right = false;
    }
    is_right &= check(str("round ", rounds + 1), warm);
    const Holding now = Holding::now();
    is_right &= grew_little("memory outside of the pool", warm.outside(),
                            now.outside(), Clock::now() - begin);
    if (!half && Clock::now() > begin + duration / 3) half = now;
  }
  if (half && duration >= std::chrono::hours(1)) {
    is_right &= grew_little("resident memory", half->resident,
                            Holding::now().resident, duration / 3);
  }
  int64_t trainers = 0;
  for (; is_right && (trainers < 100 || Clock::now() < end); ++trainers) {
    const testing::TempFolder folder;
    is_right &= train(folder.path(), 1, native_device()) != 0;
  }
  const testing::TempFolder folder;
  constexpr int kAtOnce = 32;
  std::vector<uint64_t> alone;
  for (int i = 0; i < kAtOnce; ++i) {
    alone.push_back(train(folder.file(str("alone_", i)), 2, native_device(i)));
  }
  std::vector<uint64_t> at_once(kAtOnce);
  std::vector<std::thread> threads;
  for (int i = 0; i < kAtOnce; ++i) {
    threads.emplace_back([&, i] {
      at_once[i] = train(folder.file(str("at_once_", i)), 2, native_device(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (at_once != alone) {
    std::cout << "trainers at once have other results than alone" << std::endl;
    is_right = false;
  }
  std::cout << rounds << " rounds, " << trainers
            << " trainers in turn, 32 at once" << std::endl;
  // Their devices keep generators, and threads of other numbers came and went.
  Holding last = warm;
  last.heap = Holding::now().heap;
  return check("end", last) && is_right;
}

}  // namespace
}  // namespace catena

int main(int argc, char** argv) {
  using catena::testing::ArgumentError;
  using catena::testing::Numbers;
  return catena::testing::run_with_numbers(
      argc, argv,
      {{.name = "hours", .least = 0.001, .most = 1000, .is_whole = false},
       {"seconds", 1, 1000}},
      [](const Numbers& numbers) {
        if (numbers.size() > 1) {
          throw ArgumentError(
              catena::str("expected --hours or --seconds, got '--hours' and "
                          "'--seconds=",
                          numbers.at("seconds"), "'"));
        }
        std::chrono::duration<double> duration = std::chrono::seconds(60);
        for (const auto& [name, number] : numbers) {
          duration = std::chrono::duration<double>(
              name == "hours" ? number * 3600 : number);
        }
        return catena::run(duration) ? 0 : 1;
      });
}
