#include "policies/power/memory_text.hpp"

#include <charconv>
#include <utility>

namespace aliquot::power {
namespace {

constexpr std::string_view kName = "power-memory-3";
// Without the boots of nodes.
constexpr std::string_view kNameBefore = "power-memory-2";
constexpr std::int64_t kMostNodes = 1'000'000;
// Of any number: sums of a few of them are no overflow.
constexpr std::int64_t kMost = INT64_MAX / 4;

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  // Empty at the end.
  std::string_view next() {
    ++number_;
    text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size()));
    const std::string_view word = text_.substr(0, text_.find_first_of(" \n"));
    text_.remove_prefix(word.size());
    return word;
  }
  void read(std::int64_t& number, std::int64_t least = 0) {
    const std::string_view word = next();
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failure != std::errc{} || end != word.data() + word.size() || number < least || number > kMost)
      refuse();
  }
  void refuse() {
    if (wrong_ == 0) wrong_ = number_;
  }
  // The number of the first word that was refused, from 1; 0: none was.
  [[nodiscard]] int wrong() const { return wrong_; }

 private:
  std::string_view text_;
  int number_ = 0;
  int wrong_ = 0;
};

}  // namespace

std::string print_memory(const PowerMemory& memory) {
  std::string text = std::string(kName) + " " + std::to_string(memory.arrivals.newest_hour()) + "\n";
  for (const ObservedHour& hour : memory.arrivals.hours())
    text += std::to_string(hour.observed) + " " + std::to_string(hour.sum) + " " +
            std::to_string(hour.squares) + "\n";
  for (const DailyLoad::Slot& slot : memory.daily.slots())
    text += std::to_string(slot.sum) + " " + std::to_string(slot.milliseconds) + "\n";
  const RecentStretch& stretch = memory.stretch;
  text += std::to_string(stretch.week()) + " " + std::to_string(stretch.newest()) + " " +
          std::to_string(stretch.before()) + "\n" + std::to_string(memory.boots.size()) + "\n";
  for (const BootTimes& boots : memory.boots) {
    for (const Duration boot : boots.last()) text += std::to_string(boot.raw) + " ";
    text.back() = '\n';
  }
  return text;
}

namespace {

std::vector<BootTimes> read_boots(Words& words) {
  std::int64_t nodes = 0;
  words.read(nodes);
  if (nodes > kMostNodes) words.refuse();
  std::vector<BootTimes> all;
  for (std::int64_t k = 0; k < nodes && words.wrong() == 0; ++k) {
    BootTimes::Last last{};
    for (Duration& boot : last) words.read(boot.raw);
    all.emplace_back(last);
  }
  return all;
}

}  // namespace

Result<PowerMemory> read_memory(std::string_view text) {
  Words words(text);
  const std::string_view name = words.next();
  if (name != kName && name != kNameBefore) words.refuse();
  std::int64_t newest_hour = -1;
  words.read(newest_hour, -1);
  ArrivalStatistics::Hours hours{};
  for (ObservedHour& hour : hours) {
    words.read(hour.observed);
    words.read(hour.sum);
    words.read(hour.squares);
  }
  DailyLoad::Slots slots{};
  for (DailyLoad::Slot& slot : slots) {
    words.read(slot.sum);
    words.read(slot.milliseconds);
  }
  std::int64_t week = 0, newest = 0, before = 0;
  words.read(week);
  words.read(newest);
  words.read(before);
  std::vector<BootTimes> boots = name == kName ? read_boots(words) : std::vector<BootTimes>{};
  if (!words.next().empty()) words.refuse();
  if (words.wrong() != 0)
    return fail(ErrorKind::invalid_argument, "word " + std::to_string(words.wrong()) +
                                                 " is not what was kept of arrivals, loads and boots");
  PowerMemory memory;
  memory.arrivals = ArrivalStatistics(hours, newest_hour);
  memory.daily = DailyLoad(slots);
  memory.stretch = RecentStretch(week, newest, before);
  memory.boots = std::move(boots);
  return memory;
}

}  // namespace aliquot::power
