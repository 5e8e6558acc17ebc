#include "catena/training/communicators/mpi_ring_sum.h"

#include <algorithm>

#include "catena/training/communicators/mpi_session.h"

namespace catena::training::communicators {
namespace {

// Small enough that a received piece is still in the cache when it is added.
constexpr int64_t kPieceBytes = 256 << 10;

}  // namespace

MpiRingSum::MpiRingSum(const Array& x, MPI_Datatype type, MPI_Comm comm,
                       int rank, int size, int tag)
    : x_(x),
      type_(type),
      comm_(comm),
      rank_(rank),
      size_(size),
      tag_(tag),
      piece_size_(kPieceBytes / x.itemsize()) {
  const int64_t largest_chunk = (x.size() + size - 1) / size;
  pieces_ = (largest_chunk + piece_size_ - 1) / piece_size_;
  messages_ = 2 * (size - 1) * pieces_;
  sums_from_ = (size - 1) * pieces_;
  slots_ = array::empty({kWindow * piece_size_}, x.dtype(), x.device());
  sends_.fill(MPI_REQUEST_NULL);
  receives_.fill(MPI_REQUEST_NULL);
  post();
}

// After an exception MPI may still write to the memory.
MpiRingSum::~MpiRingSum() {
  if (sent_ == messages_ && received_ == messages_) return;
  MpiSession::instance().keep(x_);
  MpiSession::instance().keep(slots_);
}

MpiRingSum::Piece MpiRingSum::piece(int64_t chunk, int64_t index) const {
  const int64_t chunk_end = x_.size() * (chunk + 1) / size_;
  const int64_t begin =
      std::min(x_.size() * chunk / size_ + index * piece_size_, chunk_end);
  const int64_t end = std::min(begin + piece_size_, chunk_end);
  return {x_.raw_data() + begin * x_.itemsize(), static_cast<int>(end - begin)};
}

// In step s, rank r sends chunk r - s, which it received in step s - 1.
MpiRingSum::Piece MpiRingSum::sent_piece(int64_t message) const {
  const int64_t step = message / pieces_;
  return piece((rank_ + 2 * size_ - step) % size_, message % pieces_);
}

MpiRingSum::Piece MpiRingSum::received_piece(int64_t message) const {
  return sent_piece(message + pieces_);
}

char* MpiRingSum::slot(int64_t message) const {
  return slots_.raw_data() +
         message % kWindow * piece_size_ * slots_.itemsize();
}

void MpiRingSum::post_receive() {
  const int64_t message = receives_posted_++;
  const Piece to = received_piece(message);
  check_mpi(MPI_Irecv(is_sum(message) ? to.data : slot(message), to.count,
                      type_, (rank_ + size_ - 1) % size_, tag_, comm_,
                      &receives_[static_cast<size_t>(message % kWindow)]),
            "MPI_Irecv");
}

void MpiRingSum::post_send() {
  const int64_t message = sends_posted_++;
  const Piece from = sent_piece(message);
  check_mpi(MPI_Isend(from.data, from.count, type_, (rank_ + 1) % size_, tag_,
                      comm_, &sends_[static_cast<size_t>(message % kWindow)]),
            "MPI_Isend");
}

void MpiRingSum::post() {
  while (receives_posted_ < std::min(messages_, received_ + kWindow)) {
    // A sum must not overwrite an addend that is still being sent.
    const int64_t left = receives_posted_ - sums_from_;
    if (left >= sent_) break;
    post_receive();
  }
  // Pieces received in the previous step can be sent.
  while (sends_posted_ <
         std::min({messages_, received_ + pieces_, sent_ + kWindow})) {
    post_send();
  }
}

bool MpiRingSum::take_sent() {
  if (sent_ == sends_posted_) return false;
  int done = 0;
  check_mpi(MPI_Test(&sends_[static_cast<size_t>(sent_ % kWindow)], &done,
                     MPI_STATUS_IGNORE),
            "allreduce");
  sent_ += done;
  return done != 0;
}

bool MpiRingSum::take_received() {
  if (received_ == receives_posted_) return false;
  int done = 0;
  check_mpi(MPI_Test(&receives_[static_cast<size_t>(received_ % kWindow)],
                     &done, MPI_STATUS_IGNORE),
            "allreduce");
  if (done == 0) return false;
  if (!is_sum(received_)) {
    const Piece to = received_piece(received_);
    check_mpi(
        MPI_Reduce_local(slot(received_), to.data, to.count, type_, MPI_SUM),
        "MPI_Reduce_local");
  }
  ++received_;
  return true;
}

bool MpiRingSum::test() {
  while (true) {
    const bool has_sent = take_sent();
    if (!take_received() && !has_sent) break;
    post();
  }
  return sent_ == messages_ && received_ == messages_;
}

}  // namespace catena::training::communicators
