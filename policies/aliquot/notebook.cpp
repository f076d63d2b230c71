#include "policies/aliquot/notebook.hpp"

#include <algorithm>
#include <charconv>
#include <type_traits>
#include <utility>

#include "policies/aliquot/note_reader.hpp"

namespace aliquot {

namespace {

constexpr std::size_t kMostDisplaced = 100;  // beyond, only what is paused is remembered
constexpr std::size_t kMore = 1'000;
constexpr std::size_t kMostlyLonger = 24;  // characters of an entry

void write(std::string& text, std::int64_t value) {
  char digits[24];
  digits[0] = ' ';
  text.append(digits, std::to_chars(digits + 1, digits + sizeof digits, value).ptr);
}

std::int64_t number_of(JobId job) { return static_cast<std::int64_t>(job.raw); }

// Pieces of one text, copied together where they stand together.
class Copying {
 public:
  explicit Copying(std::string& to) : to_(to) {}
  void add(std::string_view piece) {
    if (!pending_.empty() && pending_.data() + pending_.size() == piece.data()) {
      pending_ = {pending_.data(), pending_.size() + piece.size()};
    } else {
      finish();
      pending_ = piece;
    }
  }
  void finish() { to_.append(std::exchange(pending_, {})); }

 private:
  std::string& to_;
  std::string_view pending_;
};

// The entries of a draft, asked for in increasing ids, or nearly so.
class JobsInOrder {
 public:
  explicit JobsInOrder(const Draft& draft) : draft_(draft) {}
  // The size of the draft if there is none.
  std::size_t find(JobId job) {
    if (at_ > 0 && job <= draft_.id(at_ - 1)) at_ = draft_.index_of(job);
    // Mostly few ids are missing between two: it is as many entries further on.
    if (at_ < draft_.size() && draft_.id(at_) < job) {
      const std::uint64_t ahead = job.raw - draft_.id(at_).raw;
      if (ahead < draft_.size() - at_ && draft_.id(at_ + ahead) == job) return at_ += ahead;
    }
    while (at_ < draft_.size() && draft_.id(at_) < job) ++at_;
    return at_ < draft_.size() && draft_.id(at_) == job ? at_ : draft_.size();
  }

 private:
  const Draft& draft_;
  std::size_t at_ = 0;
};

bool is_kept(bool stands, std::size_t already) { return !stands || already < kMostDisplaced; }

}  // namespace

Notebook Notebook::read(const ClusterView& view) {
  NoteReader reader(view.memory.note);
  Notebook book;
  const auto in_view = [&](JobId job) { return view.jobs.contains(job); };
  if (!reader.read_beginning(view.now, book, in_view)) return {};
  while (reader.sound() && !reader.at_end()) {
    const auto [job, why] = reader.any_entry();
    const auto found = view.jobs.find(job);
    if (found != view.jobs.end() && is_kept(!found->second.placement.empty(), book.displaced.size()))
      book.displaced.emplace(job, why);
  }
  return reader.sound() ? book : Notebook{};
}

Notebook Notebook::read(const Draft& draft) {
  NoteReader reader(draft.view().memory.note);
  Notebook book;
  JobsInOrder jobs(draft);
  const auto in_draft = [&](JobId job) { return jobs.find(job) < draft.size(); };
  if (!reader.read_beginning(draft.view().now, book, in_draft)) return {};
  book.kept.reserve(reader.left() / kMostlyLonger);
  JobId last;
  while (!reader.at_end()) {
    const auto [job, text] = reader.plain_entry();
    if (text.empty() || job <= last) return read(draft.view());
    last = job;
    const std::size_t at = jobs.find(job);
    if (at < draft.size() && is_kept(draft.stood(at), book.kept.size())) book.kept.emplace_back(job, text);
  }
  return book;
}

template <class Known>
void Notebook::write_displaced(std::string& text, const Known& known) const {
  Copying copying(text);
  const auto write_text = [&](std::string_view as_read) { copying.add(as_read); };
  const auto write_why = [&](JobId job, const Displaced& why) {
    if (!why.as_read.empty()) return copying.add(why.as_read);
    copying.finish();
    write(text, number_of(job));
    write(text, static_cast<std::int64_t>(why.by));
    write(text, number_of(why.helped));
    write(text, why.before);
    write(text, why.after);
  };
  const auto write_known = [&](const auto& entry) {
    if constexpr (std::is_same_v<decltype(entry.second), std::string_view>) {
      write_text(entry.second);
    } else {
      write_why(entry.first, entry.second);
    }
  };
  std::vector<std::pair<JobId, Displaced>> lately = displaced_lately;
  std::stable_sort(lately.begin(), lately.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  auto next_known = known.begin();
  for (auto next = lately.begin(); next != lately.end(); ++next) {
    if (next + 1 != lately.end() && next[1].first == next->first) continue;
    for (; next_known != known.end() && next_known->first < next->first; ++next_known)
      write_known(*next_known);
    if (next_known != known.end() && next_known->first == next->first) ++next_known;
    write_why(next->first, next->second);
  }
  for (; next_known != known.end(); ++next_known) write_known(*next_known);
  copying.finish();
}

void Notebook::write_stalled(std::string& text) const {
  write(text, static_cast<std::int64_t>(stalled.size()));
  Copying copying(text);
  for (const auto& [job, stall] : stalled) {
    if (!stall.as_read.empty()) {
      copying.add(stall.as_read);
      continue;
    }
    copying.finish();
    write(text, number_of(job));
    write(text, stall.until.raw);
  }
  copying.finish();
}

std::string Notebook::text() const {
  std::string text(NoteReader::kBegins);
  if (!kept.empty()) {
    const auto [job, last] = kept.back();
    text.reserve(static_cast<std::size_t>(last.data() + last.size() - kept.front().second.data()) + kMore);
  }
  write(text, tokens);
  write(text, owed ? NoteReader::owed(searched.raw) : searched.raw);
  write(text, repacked.raw);
  write_stalled(text);
  if (!kept.empty()) {
    write_displaced(text, kept);
  } else {
    write_displaced(text, displaced);
  }
  return text;
}

}  // namespace aliquot
