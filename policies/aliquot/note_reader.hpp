// Reads the line of text that ALIQUOT's notebook is kept as: numbers, each after one blank. First the
// beginning, then, job by job, why it was displaced.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "policies/aliquot/notebook.hpp"

namespace aliquot {

class NoteReader {
 public:
  static constexpr std::string_view kBegins = "aliquot";
  static constexpr std::size_t kLeast = 4;  // characters of a stall: nobody has to believe a note's count

  explicit NoteReader(std::string_view note)
      : ours_(note.starts_with(kBegins)),
        next_(note.data() + (ours_ ? kBegins.size() : 0)),
        end_(note.data() + note.size()) {}

  // All but who was displaced. False: it is no such note. knows(job): it is in the view; asked in the order
  // of the note, mostly that of the ids.
  template <class Knows>
  [[nodiscard]] bool read_beginning(Instant now, Notebook& book, Knows&& knows);
  // Of one job, however it is written; means something as long as the note is sound.
  [[nodiscard]] std::pair<JobId, Displaced> any_entry();
  // Of one job its id and its part of the note, if it is written as Notebook::text() writes it. An empty
  // part: it is not, or is not known to be; then nothing has been read.
  [[nodiscard]] std::pair<JobId, std::string_view> plain_entry();

  // An instant, as a number, after which something is owed: below zero. Its own inverse.
  [[nodiscard]] static constexpr std::int64_t owed(std::int64_t instant) { return -1 - instant; }

  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] bool at_end() const { return next_ == end_; }
  // Characters that have not been read.
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }

 private:
  std::pair<JobId, Stall> stall_entry();
  std::int64_t number();
  std::int32_t short_number();
  std::int64_t any_number(const char* first);

  bool ours_;
  const char* next_;
  const char* end_;
  bool sound_ = true;
  bool plain_ = true;  // all numbers since it was set stand there as they would be written
};

template <class Knows>
bool NoteReader::read_beginning(Instant now, Notebook& book, Knows&& knows) {
  if (!ours_) return false;
  book.begun = true;
  book.tokens = static_cast<std::int32_t>(number());
  const std::int64_t searched = number();
  book.owed = searched < 0;
  book.searched = std::min(now, Instant{book.owed ? owed(searched) : searched});
  book.repacked = {number()};
  const std::int64_t count = number();
  book.stalled.reserve(
      std::min(static_cast<std::size_t>(std::max<std::int64_t>(0, count)), left() / kLeast));
  for (std::int64_t rest = count; rest > 0 && sound_; --rest) {
    const auto [job, stall] = stall_entry();
    if (stall.until > now && knows(job)) book.stalled.emplace(job, stall);
  }
  return sound_;
}

}  // namespace aliquot
