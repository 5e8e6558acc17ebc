#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "catena/array/core/memory_pool.h"

// The type that cudaStream_t points to, so that this header needs no CUDA.
struct CUstream_st;

namespace catena::cuda {

// cudaStream_t, without CUDA's headers.
using StreamPtr = CUstream_st*;

// The memory source of a pool, which also orders streams. Tests of the pool use
// one that needs no GPU.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // Null if out of memory.
  virtual void* allocate(int64_t bytes) = 0;
  // For messages: how much there is, such as "5 of 9 bytes free"; may be empty.
  virtual std::string describe() { return {}; }
  // Waits until the device no longer uses the memory.
  virtual void deallocate(void* data) noexcept = 0;
  // Work submitted to `stream` from now on waits for the work now in `other`.
  virtual void order_after(StreamPtr stream, StreamPtr other) noexcept = 0;
  // Work submitted to `stream` from now on may use the first `usable` bytes of
  // a block, and no others: for tools that find what is out of bounds.
  virtual void mark(void* /*data*/, int64_t /*usable*/, int64_t /*bytes*/,
                    StreamPtr /*stream*/) noexcept {}
};

// The most bytes of a pool since it was made or reset.
struct MemoryPoolPeak {
  int64_t used_bytes = 0;
  int64_t total_bytes = 0;  // with those cached
};

// A caching, stream-ordered allocator for one device. A freed block can be
// reused at once by later work on the same stream, since a stream runs its work
// in order; neither allocation nor deallocation waits for the device. Sizes are
// rounded up to 512 bytes. The best fitting free block is split; adjacent free
// blocks are merged. Requests up to 1 MiB are served from segments of 2 MiB, so
// that they do not fragment large blocks.
//
// When the source is exhausted, the pool first takes over free blocks of other
// streams, ordered by a wait, then frees all cached memory and retries, then
// throws OutOfMemoryError. Thread-safe.
//
// The memory of a captured graph belongs to the stream of its capture, which is
// on hold: see hold().
class MemoryPool {
 public:
  // `name` identifies the memory in error messages: "cuda:0".
  MemoryPool(std::string name, std::unique_ptr<MemorySource> source);
  // Also returns blocks in use to the source.
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // At least `bytes` bytes (below 1 counts as 1) for use on `stream`, aligned
  // to 512 bytes if the source's memory is. Throws OutOfMemoryError.
  void* allocate(int64_t bytes, StreamPtr stream);

  // Frees memory from allocate(). `stream` is where it was last used: if it is
  // not the one it was allocated for, that one waits for it.
  void deallocate(void* data, StreamPtr stream) noexcept;
  // Frees a block that was used only by its own stream and by those of
  // record_use.
  void deallocate(void* data) noexcept;

  // Records that work on `stream` also uses the block: when the block is freed,
  // its own stream waits for `stream`.
  void record_use(const void* data, StreamPtr stream);

  // For a stream whose work is captured: until release(), its memory is for the
  // stream alone, also what it has freed, since each launch of the graph uses
  // these addresses again. All of it counts as used. Blocks of other streams
  // that are freed on it stay in use, since the graph may refer to them.
  // Nothing is ordered, which a capture would not allow.
  void hold(StreamPtr stream);
  // Gives the memory back. The graph must have been launched for the last time,
  // and its work be done.
  void release(StreamPtr stream) noexcept;

  // Call before a stream is destroyed, when its work is done: moves its blocks,
  // in use and free, to the null stream.
  void retire_stream(StreamPtr stream) noexcept;

  // Returns segments without blocks in use to the source.
  void free_all_blocks() noexcept;

  // Limits the total of used and free bytes; 0 removes the limit. Throws
  // ValueError when negative.
  void set_limit(int64_t bytes);

  MemoryPoolStatistics statistics() const;
  MemoryPoolPeak peak() const;
  // Starts again from what is used and cached now.
  void reset_peak();

 private:
  struct Chunk;
  struct BySize {
    using is_transparent = void;
    bool operator()(const Chunk* a, const Chunk* b) const;
    bool operator()(const Chunk* a, int64_t size) const;
  };
  using FreeSet = std::set<Chunk*, BySize>;

  // A piece of a segment. While in use it keeps its node of the free set, so
  // that freeing it allocates nothing.
  struct Chunk {
    char* data = nullptr;
    int64_t size = 0;
    StreamPtr stream = nullptr;
    bool small = false;
    bool used = false;
    // The stream on hold for which it is kept after it was freed, or null.
    StreamPtr kept_for = nullptr;
    Chunk* previous = nullptr;  // neighbours in the segment
    Chunk* next = nullptr;
    FreeSet::node_type place;
    std::vector<StreamPtr> other_streams;
  };
  struct FreeSets {
    FreeSet small;
    FreeSet large;
  };

  bool is_held(StreamPtr stream) const {
    return !held_streams_.empty() && held_streams_.contains(stream);
  }
  int64_t free_bytes_of(StreamPtr stream) const;
  void wait_and_free(Chunk& chunk) noexcept;
  FreeSet& free_set(const Chunk& chunk);
  Chunk& add_chunk(Chunk chunk);
  void count_used(int64_t bytes);
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
  MemoryPoolPeak peak_;
};

}  // namespace catena::cuda
