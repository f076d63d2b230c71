#include "policies/aliquot/notebook.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace aliquot {

namespace {

constexpr std::string_view kBegins = "aliquot";
constexpr std::size_t kMostDisplaced = 100;  // beyond, only what is paused is remembered
constexpr int kSurelyWithin = 18;            // digits of 64 bits

// Numbers, each after one blank.
class Reader {
 public:
  explicit Reader(std::string_view text) : next_(text.data()), end_(text.data() + text.size()) {}
  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] bool at_end() const { return next_ == end_; }
  [[nodiscard]] const char* here() const { return next_; }
  // All numbers since begin() stand there as they would be written.
  void begin() { plain_ = true; }
  [[nodiscard]] bool plain() const { return plain_; }

  std::int64_t number() {
    if (next_ == end_ || *next_ != ' ') return sound_ = false, 0;
    const char* const first = next_ + 1;
    const char* at = first;
    std::int64_t value = 0;
    for (; at != end_ && *at >= '0' && *at <= '9' && at - first < kSurelyWithin; ++at)
      value = 10 * value + (*at - '0');
    const bool whole = at != first && (at == end_ || *at == ' ');
    if (!whole) return any_number(first);
    if (*first == '0' && at - first > 1) plain_ = false;
    next_ = at;
    return value;
  }
  // That is kept in fewer bits.
  std::int32_t short_number() {
    const std::int64_t value = number();
    const auto kept = static_cast<std::int32_t>(value);
    if (kept != value) plain_ = false;
    return kept;
  }

 private:
  // With a sign, very long, or none at all.
  std::int64_t any_number(const char* first) {
    std::int64_t value = 0;
    plain_ = false;
    const auto [stop, error] = std::from_chars(first, end_, value);
    if (error != std::errc()) return sound_ = false, 0;
    next_ = stop;
    return value;
  }

  const char* next_;
  const char* end_;
  bool sound_ = true;
  bool plain_ = true;
};

void write(std::string& text, std::int64_t value) {
  char digits[24];
  digits[0] = ' ';
  text.append(digits, std::to_chars(digits + 1, digits + sizeof digits, value).ptr);
}

JobId job_of(std::int64_t number) { return {static_cast<std::uint64_t>(number)}; }
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

// The jobs of a draft, asked for in increasing ids, or nearly so.
class JobsInOrder {
 public:
  explicit JobsInOrder(const Draft& draft) : draft_(draft) {}
  const Job* operator()(JobId job) {
    if (at_ > 0 && job <= draft_.id(at_ - 1)) at_ = draft_.index_of(job);
    while (at_ < draft_.size() && draft_.id(at_) < job) ++at_;
    return at_ < draft_.size() && draft_.id(at_) == job ? &draft_.job(at_) : nullptr;
  }

 private:
  const Draft& draft_;
  std::size_t at_ = 0;
};

}  // namespace

template <class Find>
Notebook Notebook::read(const ClusterView& view, Find&& find) {
  std::string_view note = view.memory.note;
  if (!note.starts_with(kBegins)) return {};
  note.remove_prefix(kBegins.size());
  Reader reader(note);
  Notebook book;
  book.begun = true;
  book.tokens = static_cast<std::int32_t>(reader.number());
  book.searched = {reader.number()};
  book.repacked = {reader.number()};
  for (std::int64_t left = reader.number(); left > 0 && reader.sound(); --left) {
    const JobId job = job_of(reader.number());
    const Instant until{reader.number()};
    if (until > view.now && view.jobs.contains(job)) book.stalled.emplace(job, until);
  }
  while (reader.sound() && !reader.at_end()) {
    const char* const first = reader.here();
    reader.begin();
    const JobId job = job_of(reader.number());
    const std::int64_t by = reader.number();
    const JobId helped = job_of(reader.number());
    const std::int32_t before = reader.short_number();
    const std::int32_t after = reader.short_number();
    if (!reader.sound() || by < 0 || by > static_cast<std::int64_t>(Displaced::By::repack)) return {};
    const Job* const found = find(job);
    if (found == nullptr || (found->phase == Phase::running && book.displaced.size() >= kMostDisplaced))
      continue;
    const std::string_view written(first, static_cast<std::size_t>(reader.here() - first));
    book.displaced.emplace(job, Displaced{static_cast<Displaced::By>(by), helped, before, after,
                                          reader.plain() ? written : std::string_view()});
  }
  return reader.sound() ? book : Notebook{};
}

Notebook Notebook::read(const ClusterView& view) {
  return read(view, [&](JobId job) {
    const auto found = view.jobs.find(job);
    return found == view.jobs.end() ? nullptr : &found->second;
  });
}

Notebook Notebook::read(const Draft& draft) { return read(draft.view(), JobsInOrder(draft)); }

std::string Notebook::text() const {
  std::string text(kBegins);
  write(text, tokens);
  write(text, searched.raw);
  write(text, repacked.raw);
  write(text, static_cast<std::int64_t>(stalled.size()));
  for (const auto& [job, until] : stalled) {
    write(text, number_of(job));
    write(text, until.raw);
  }
  Copying copying(text);
  const auto write_why = [&](JobId job, const Displaced& why) {
    if (!why.as_read.empty()) return copying.add(why.as_read);
    copying.finish();
    write(text, number_of(job));
    write(text, static_cast<std::int64_t>(why.by));
    write(text, number_of(why.helped));
    write(text, why.before);
    write(text, why.after);
  };
  std::vector<std::pair<JobId, Displaced>> lately = displaced_lately;
  std::stable_sort(lately.begin(), lately.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  auto known = displaced.begin();
  for (auto next = lately.begin(); next != lately.end(); ++next) {
    if (next + 1 != lately.end() && next[1].first == next->first) continue;
    for (; known != displaced.end() && known->first < next->first; ++known)
      write_why(known->first, known->second);
    if (known != displaced.end() && known->first == next->first) ++known;
    write_why(next->first, next->second);
  }
  for (; known != displaced.end(); ++known) write_why(known->first, known->second);
  copying.finish();
  return text;
}

}  // namespace aliquot
