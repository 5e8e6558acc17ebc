#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "catena/array/array.h"

namespace catena::training::communicators {

// A sum over all ranks in place, the same bits in each of them. MPI's own
// MPI_Iallreduce takes memory as large as the array and copies it there and
// back; this takes a few pieces.
//
// The elements are cut in as many chunks as there are ranks. Each rank sends
// one to the next rank, which adds its own and passes the sum on, until it has
// come round; then the sums go round the same way (Patarasuk and Yuan, 2009).
// Chunks go in pieces, so that both directions and the additions keep each
// other busy.
class MpiRingSum {
 public:
  // The array is contiguous, in the host's memory. No two sums that are on
  // their way in a communicator have the same tag.
  MpiRingSum(const Array& x, MPI_Datatype type, MPI_Comm comm, int rank,
             int size, int tag);
  ~MpiRingSum();
  MpiRingSum(const MpiRingSum&) = delete;
  MpiRingSum& operator=(const MpiRingSum&) = delete;

  // Does what can be done; whether that is all. CommunicatorError.
  bool test();

 private:
  // Pieces that are on their way at the same time, each way.
  static constexpr int64_t kWindow = 4;

  struct Piece {
    char* data;
    int count;
  };
  // What is sent, or received, as that message.
  Piece sent_piece(int64_t message) const;
  Piece received_piece(int64_t message) const;
  Piece piece(int64_t chunk, int64_t index) const;
  bool is_sum(int64_t message) const { return message >= sums_from_; }
  char* slot(int64_t message) const;

  void post();
  void post_receive();
  void post_send();
  bool take_sent();
  bool take_received();

  Array x_;
  MPI_Datatype type_;
  MPI_Comm comm_;
  int rank_;
  int size_;
  int tag_;
  int64_t piece_size_ = 0;  // in elements
  int64_t pieces_ = 0;      // of a chunk
  int64_t messages_ = 0;    // each way
  int64_t sums_from_ = 0;   // messages from there on are sums
  Array slots_;             // where addends arrive
  std::array<MPI_Request, kWindow> sends_;
  std::array<MPI_Request, kWindow> receives_;
  int64_t sends_posted_ = 0;
  int64_t sent_ = 0;
  int64_t receives_posted_ = 0;
  int64_t received_ = 0;
};

}  // namespace catena::training::communicators
