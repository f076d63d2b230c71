#include "policies/aliquot/notebook.hpp"

#include <charconv>
#include <optional>

namespace aliquot {

namespace {

constexpr std::string_view kBegins = "aliquot";
constexpr std::size_t kMostDisplaced = 100;  // beyond, only what is paused is remembered

// Numbers, each after one blank.
class Reader {
 public:
  explicit Reader(std::string_view text) : next_(text.data()), end_(text.data() + text.size()) {}
  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] bool at_end() const { return next_ == end_; }
  std::int64_t number() {
    std::int64_t value = 0;
    if (next_ == end_ || *next_ != ' ') return sound_ = false, 0;
    const auto [stop, error] = std::from_chars(next_ + 1, end_, value);
    if (error != std::errc()) return sound_ = false, 0;
    next_ = stop;
    return value;
  }

 private:
  const char* next_;
  const char* end_;
  bool sound_ = true;
};

void write(std::string& text, std::int64_t value) {
  char digits[24];
  digits[0] = ' ';
  text.append(digits, std::to_chars(digits + 1, digits + sizeof digits, value).ptr);
}

JobId job_of(std::int64_t number) { return {static_cast<std::uint64_t>(number)}; }
std::int64_t number_of(JobId job) { return static_cast<std::int64_t>(job.raw); }

}  // namespace

Notebook Notebook::read(const ClusterView& view) {
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
    const JobId job = job_of(reader.number());
    const std::int64_t by = reader.number();
    const JobId helped = job_of(reader.number());
    const auto before = static_cast<std::int32_t>(reader.number());
    const auto after = static_cast<std::int32_t>(reader.number());
    if (!reader.sound() || by < 0 || by > static_cast<std::int64_t>(Displaced::By::repack)) return {};
    const auto found = view.jobs.find(job);
    const bool runs = found != view.jobs.end() && found->second.phase == Phase::running;
    if (found != view.jobs.end() && (!runs || book.displaced.size() < kMostDisplaced))
      book.displaced.emplace(job, Displaced{static_cast<Displaced::By>(by), helped, before, after});
  }
  return reader.sound() ? book : Notebook{};
}

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
  for (const auto& [job, why] : displaced) {
    write(text, number_of(job));
    write(text, static_cast<std::int64_t>(why.by));
    write(text, number_of(why.helped));
    write(text, why.before);
    write(text, why.after);
  }
  return text;
}

}  // namespace aliquot
