#include "catena/cuda/memory_pool.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/cuda/memory_hook.h"

namespace catena::cuda {
namespace {

constexpr int64_t kUnit = 512;
constexpr int64_t kMaxSmall =
    1 << 20;  // larger requests have segments of their own
constexpr int64_t kSegment = 2 << 20;

constexpr int64_t round_up(int64_t bytes, int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

constexpr bool is_small(int64_t size) { return size <= kMaxSmall; }

}  // namespace

bool MemoryPool::BySize::operator()(const Chunk* a, const Chunk* b) const {
  return a->size != b->size ? a->size < b->size : a->data < b->data;
}

bool MemoryPool::BySize::operator()(const Chunk* a, int64_t size) const {
  return a->size < size;
}

MemoryPool::MemoryPool(std::string name, std::unique_ptr<MemorySource> source)
    : name_(std::move(name)), source_(std::move(source)) {}

MemoryPool::~MemoryPool() { release_segments(/*with_used=*/true); }

void* MemoryPool::allocate(int64_t bytes, StreamPtr stream) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max() - kSegment;
  std::lock_guard lock(mutex_);
  if (bytes > kMax) throw_out_of_memory(bytes);
  const int64_t size = round_up(std::max<int64_t>(bytes, 1), kUnit);
  MemoryHooks::call(&MemoryHook::malloc_preprocess, {name_, bytes, size});
  Chunk* chunk = take_free(size, stream);
  if (chunk == nullptr) chunk = take_new(size, stream);
  if (chunk == nullptr) chunk = take_over(size, stream);
  if (chunk == nullptr) {
    release_segments(/*with_used=*/false);
    chunk = take_new(size, stream);
  }
  if (chunk == nullptr) throw_out_of_memory(bytes);
  split(*chunk, size);
  // For a stream on hold, new segments were counted as a whole.
  if (!is_held(stream)) count_used(chunk->size);
  source_->mark(chunk->data, bytes, chunk->size, stream);
  MemoryHooks::call(&MemoryHook::malloc_postprocess,
                    {name_, bytes, chunk->size, chunk->data});
  return chunk->data;
}

void MemoryPool::deallocate(void* data, StreamPtr stream) noexcept {
  std::lock_guard lock(mutex_);
  Chunk& chunk = *chunks_.find(data)->second;
  if (stream != chunk.stream) {
    if (is_held(stream) || is_held(chunk.stream)) {
      chunk.kept_for = is_held(stream) ? stream : chunk.stream;
      return;
    }
    source_->order_after(chunk.stream, stream);
  }
  std::erase(chunk.other_streams, stream);
  wait_and_free(chunk);
}

void MemoryPool::deallocate(void* data) noexcept {
  std::lock_guard lock(mutex_);
  wait_and_free(*chunks_.find(data)->second);
}

void MemoryPool::hold(StreamPtr stream) {
  std::lock_guard lock(mutex_);
  held_streams_.insert(stream);
  used_bytes_ += free_bytes_of(stream);
}

void MemoryPool::release(StreamPtr stream) noexcept {
  std::lock_guard lock(mutex_);
  held_streams_.erase(stream);
  used_bytes_ -= free_bytes_of(stream);
  std::vector<Chunk*> kept;
  for (const auto& [data, chunk] : chunks_) {
    if (chunk->kept_for == stream) kept.push_back(chunk.get());
  }
  for (Chunk* chunk : kept) {
    chunk->kept_for = nullptr;
    wait_and_free(*chunk);
  }
}

int64_t MemoryPool::free_bytes_of(StreamPtr stream) const {
  int64_t bytes = 0;
  for (const auto& [data, chunk] : chunks_) {
    if (!chunk->used && chunk->stream == stream) bytes += chunk->size;
  }
  return bytes;
}

void MemoryPool::wait_and_free(Chunk& chunk) noexcept {
  if (is_held(chunk.stream)) {
    if (chunk.other_streams.empty()) {
      put_free(chunk);
    } else {
      chunk.kept_for = chunk.stream;
    }
    return;
  }
  for (const StreamPtr other : chunk.other_streams) {
    source_->order_after(chunk.stream, other);
  }
  chunk.other_streams.clear();
  const MemoryEvent event{name_, 0, chunk.size, chunk.data};
  MemoryHooks::call(&MemoryHook::free_preprocess, event);
  used_bytes_ -= chunk.size;
  put_free(chunk);
  MemoryHooks::call(&MemoryHook::free_postprocess, event);
}

void MemoryPool::record_use(const void* data, StreamPtr stream) {
  std::lock_guard lock(mutex_);
  const auto found = chunks_.find(data);
  if (found == chunks_.end() || !found->second->used) {
    raise<ValueError>("record_use: expected a block of ", name_,
                      "'s memory pool in use, got another address");
  }
  Chunk& chunk = *found->second;
  auto& streams = chunk.other_streams;
  const bool known =
      stream == chunk.stream ||
      std::find(streams.begin(), streams.end(), stream) != streams.end();
  if (!known) streams.push_back(stream);
}

void MemoryPool::retire_stream(StreamPtr stream) noexcept {
  if (stream == nullptr) return;
  std::lock_guard lock(mutex_);
  std::vector<Chunk*> idle;
  for (const auto& [data, chunk] : chunks_) {
    std::erase(chunk->other_streams, stream);
    if (chunk->stream != stream) continue;
    if (!chunk->used) {
      chunk->place = free_set(*chunk).extract(chunk.get());
      chunk->used = true;  // until it is put where it belongs now
      idle.push_back(chunk.get());
    }
    chunk->stream = nullptr;
  }
  for (Chunk* chunk : idle) put_free(*chunk);
  free_.erase(stream);
}

void MemoryPool::free_all_blocks() noexcept {
  std::lock_guard lock(mutex_);
  release_segments(/*with_used=*/false);
}

void MemoryPool::set_limit(int64_t bytes) {
  if (bytes < 0) {
    raise<ValueError>("MemoryPool::set_limit: expected at least 0, got ",
                      bytes);
  }
  std::lock_guard lock(mutex_);
  limit_bytes_ = bytes;
}

MemoryPoolStatistics MemoryPool::statistics() const {
  std::lock_guard lock(mutex_);
  int64_t n_free_blocks = 0;
  for (const auto& [stream, sets] : free_) {
    n_free_blocks +=
        static_cast<int64_t>(sets.small.size() + sets.large.size());
  }
  return {used_bytes_, total_bytes_ - used_bytes_, n_free_blocks, limit_bytes_};
}

MemoryPoolPeak MemoryPool::peak() const {
  std::lock_guard lock(mutex_);
  return peak_;
}

void MemoryPool::reset_peak() {
  std::lock_guard lock(mutex_);
  peak_ = {used_bytes_, total_bytes_};
}

MemoryPool::FreeSet& MemoryPool::free_set(const Chunk& chunk) {
  FreeSets& sets = free_[chunk.stream];
  return chunk.small ? sets.small : sets.large;
}

// Adds a chunk in use, with its node for the free set.
MemoryPool::Chunk& MemoryPool::add_chunk(Chunk chunk) {
  auto owned = std::make_unique<Chunk>(std::move(chunk));
  Chunk& added = *owned;
  added.used = true;
  FreeSet place;
  place.insert(&added);
  added.place = place.extract(place.begin());
  chunks_.emplace(added.data, std::move(owned));
  return added;
}

MemoryPool::Chunk* MemoryPool::take_from(FreeSet& set, int64_t size) {
  const auto found = set.lower_bound(size);
  if (found == set.end()) return nullptr;
  Chunk* chunk = *found;
  chunk->place = set.extract(found);
  chunk->used = true;
  return chunk;
}

void MemoryPool::count_used(int64_t bytes) {
  used_bytes_ += bytes;
  peak_.used_bytes = std::max(peak_.used_bytes, used_bytes_);
}

MemoryPool::Chunk* MemoryPool::take_free(int64_t size, StreamPtr stream) {
  const auto sets = free_.find(stream);
  if (sets == free_.end()) return nullptr;
  return take_from(is_small(size) ? sets->second.small : sets->second.large,
                   size);
}

MemoryPool::Chunk* MemoryPool::take_over(int64_t size, StreamPtr stream) {
  if (is_held(stream)) return nullptr;
  for (auto& [owner, sets] : free_) {
    if (owner == stream || is_held(owner)) continue;
    Chunk* chunk = take_from(is_small(size) ? sets.small : sets.large, size);
    if (chunk == nullptr) continue;
    source_->order_after(stream, owner);
    split(*chunk, size);  // the rest stays where it was
    chunk->stream = stream;
    return chunk;
  }
  return nullptr;
}

MemoryPool::Chunk* MemoryPool::take_new(int64_t size, StreamPtr stream) {
  // Near the limit a segment for this block alone may still fit.
  for (const int64_t segment : {round_up(size, kSegment), size}) {
    if (limit_bytes_ > 0 && segment > limit_bytes_ - total_bytes_) continue;
    MemoryHooks::call(&MemoryHook::alloc_preprocess, {name_, size, segment});
    void* data = source_->allocate(segment);
    if (data == nullptr) continue;
    total_bytes_ += segment;
    if (is_held(stream)) count_used(segment);
    peak_.total_bytes = std::max(peak_.total_bytes, total_bytes_);
    MemoryHooks::call(&MemoryHook::alloc_postprocess,
                      {name_, size, segment, data});
    Chunk chunk;
    chunk.data = static_cast<char*>(data);
    chunk.size = segment;
    chunk.stream = stream;
    chunk.small = is_small(size);
    return &add_chunk(std::move(chunk));
  }
  return nullptr;
}

// Shrinks a chunk in use to `size` bytes if the rest is large enough to keep.
void MemoryPool::split(Chunk& chunk, int64_t size) {
  const int64_t rest = chunk.size - size;
  if (rest < (chunk.small ? kUnit : kMaxSmall)) return;
  Chunk tail;
  tail.data = chunk.data + size;
  tail.size = rest;
  tail.stream = chunk.stream;
  tail.small = chunk.small;
  tail.previous = &chunk;
  tail.next = chunk.next;
  Chunk& added = add_chunk(std::move(tail));
  if (added.next != nullptr) added.next->previous = &added;
  chunk.next = &added;
  chunk.size = size;
  put_free(added);
}

// Frees a chunk in use and merges it with its free neighbours.
void MemoryPool::put_free(Chunk& chunk) {
  source_->mark(chunk.data, 0, chunk.size, chunk.stream);
  const auto joins = [&](const Chunk* neighbour) {
    return neighbour != nullptr && !neighbour->used &&
           neighbour->stream == chunk.stream;
  };
  Chunk* merged = &chunk;
  if (joins(chunk.next)) {
    chunk.next->place = free_set(*chunk.next).extract(chunk.next);
    absorb_next(chunk);
  }
  if (joins(chunk.previous)) {
    merged = chunk.previous;
    merged->place = free_set(*merged).extract(merged);
    absorb_next(*merged);
  }
  merged->used = false;
  free_set(*merged).insert(std::move(merged->place));
}

void MemoryPool::absorb_next(Chunk& chunk) {
  const Chunk* next = chunk.next;
  chunk.size += next->size;
  chunk.next = next->next;
  if (chunk.next != nullptr) chunk.next->previous = &chunk;
  chunks_.erase(next->data);
}

void MemoryPool::release_segments(bool with_used) noexcept {
  std::vector<Chunk*> heads;
  for (const auto& [data, chunk] : chunks_) {
    if (chunk->previous == nullptr) heads.push_back(chunk.get());
  }
  for (Chunk* head : heads) {
    bool used = false;
    for (const Chunk* c = head; c != nullptr; c = c->next) {
      used |= c->used || is_held(c->stream);
    }
    if (used && !with_used) continue;
    void* segment = head->data;
    while (head != nullptr) {
      Chunk* next = head->next;
      total_bytes_ -= head->size;
      if (!head->used) free_set(*head).erase(head);
      chunks_.erase(head->data);
      head = next;
    }
    source_->deallocate(segment);
  }
}

void MemoryPool::throw_out_of_memory(int64_t bytes) const {
  const std::string there = source_->describe();
  int64_t held_bytes = 0;
  for (const auto& [data, chunk] : chunks_) {
    if (is_held(chunk->stream)) held_bytes += chunk->size;
  }
  raise<OutOfMemoryError>(
      name_, ": expected ", bytes,
      " bytes of free memory, got none: ", used_bytes_, " bytes in use",
      held_bytes > 0 ? str(" (", held_bytes, " by captured graphs)") : "", ", ",
      total_bytes_ - used_bytes_, " cached in smaller or scattered blocks",
      limit_bytes_ > 0 ? str(", limit ", limit_bytes_) : std::string(),
      there.empty() ? "" : "; the device has ", there);
}

}  // namespace catena::cuda
