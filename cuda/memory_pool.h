#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "catena/array/memory_pool_statistics.h"

// What cudaStream_t points to, so that this header needs no CUDA.
struct CUstream_st;

namespace catena::cuda {

using StreamPtr = CUstream_st*;

// Where a pool takes its memory from, and how it makes one stream wait for
// another. The pool is tested with one that needs no GPU.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // Null when there is no more.
  virtual void* allocate(int64_t bytes) = 0;
  // Waits until the device uses the memory no longer.
  virtual void deallocate(void* data) noexcept = 0;
  // Work submitted to `stream` from now on starts after what is in `other`.
  virtual void order_after(StreamPtr stream, StreamPtr other) noexcept = 0;
};

// A caching allocator of one device, ordered by streams. A block that is freed
// is reused at once by later work of the same stream, since a stream runs its
// work in order, so neither allocation nor deallocation waits for the device.
// Sizes are rounded up to 512 bytes; the best fitting free block is taken and
// split; neighbours that are free again are merged. Requests up to 1 MiB are
// cut from segments of 2 MiB, so that they do not nibble at large blocks.
//
// When the source has no more: blocks of other streams are taken over behind a
// wait, then everything cached is given back and the source asked once more,
// then OutOfMemoryError. All methods may be called from any thread.
class MemoryPool {
 public:
  // `name` stands for the memory in messages: "cuda:0".
  MemoryPool(std::string name, std::unique_ptr<MemorySource> source);
  // Blocks that are in use are given back to the source, too.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Memory of at least `bytes` (below 1 counts as 1), aligned to 512 bytes as
  // far as the source's is, for use on `stream`. OutOfMemoryError.
  void* allocate(int64_t bytes, StreamPtr stream);

  // Takes back what allocate returned. `stream` is where it was used last: when
  // it is not the one it was allocated for, that one waits for it.
  void deallocate(void* data, StreamPtr stream) noexcept;
  // The same for a block that only its own stream used, and those of
  // record_use.
  void deallocate(void* data) noexcept;

  // Notes that work of `stream` uses the block beside that of its own stream,
  // which therefore waits for it once the block is freed.
  void record_use(const void* data, StreamPtr stream);

  // From now on blocks of the stream that are freed stay in use, until release:
  // for a captured graph, which works on their addresses whenever it is
  // launched.
  void hold(StreamPtr stream);
  // Frees those that were meant to be freed since.
  void release(StreamPtr stream) noexcept;

  // The stream is about to end and its work is done: its blocks, in use and
  // free, become the null stream's.
  void retire_stream(StreamPtr stream) noexcept;

  // Gives segments without a block in use back to the source.
  void free_all_blocks() noexcept;

  // Holds no more than this, used and free together; 0 lifts the limit.
  // ValueError when negative.
  void set_limit(int64_t bytes);

  MemoryPoolStatistics statistics() const;

 private:
  struct Chunk;
  struct BySize {
    using is_transparent = void;
    bool operator()(const Chunk* a, const Chunk* b) const;
    bool operator()(const Chunk* a, int64_t size) const;
  };
  using FreeSet = std::set<Chunk*, BySize>;

  // A piece of a segment. While it is in use it keeps its place in the free
  // set, so that to free it needs no memory.
  struct Chunk {
    char* data = nullptr;
    int64_t size = 0;
    StreamPtr stream = nullptr;
    bool small = false;
    bool used = false;
    bool held = false;          // freed, as far as its user is concerned
    Chunk* previous = nullptr;  // neighbours in the segment
    Chunk* next = nullptr;
    FreeSet::node_type place;
    std::vector<StreamPtr> other_streams;
  };
  struct FreeSets {
    FreeSet small;
    FreeSet large;
  };

  void wait_and_free(Chunk& chunk) noexcept;
  FreeSet& free_set(const Chunk& chunk);
  Chunk& add_chunk(Chunk chunk);
  Chunk* take_free(int64_t size, StreamPtr stream);
  Chunk* take_over(int64_t size, StreamPtr stream);
  Chunk* take_new(int64_t size, StreamPtr stream);
  Chunk* take_from(FreeSet& set, int64_t size);
  void split(Chunk& chunk, int64_t size);
  void put_free(Chunk& chunk);
  void absorb_next(Chunk& chunk);
  void release_segments(bool with_used) noexcept;
  [[noreturn]] void throw_out_of_memory(int64_t bytes) const;

  const std::string name_;
  const std::unique_ptr<MemorySource> source_;
  mutable std::mutex mutex_;
  std::map<StreamPtr, FreeSets> free_;
  std::set<StreamPtr> held_streams_;
  absl::flat_hash_map<const void*, std::unique_ptr<Chunk>> chunks_;
  int64_t used_bytes_ = 0;
  int64_t total_bytes_ = 0;
  int64_t limit_bytes_ = 0;
};

}  // namespace catena::cuda
