// The CSV of RunTimeHistory, written and read.
//
// After the header stands the line of the interval, with its steps downwards and upwards, then a line for
// each class: "class" is its level, and the traits that the level does not keep are empty. The last field
// of a class, by how much it is behind a coarser one, is empty where that is 0; a text of a manager that
// did not compare classes has no such column.
#include <algorithm>
#include <charconv>

#include "policies/prediction/run_time_history.hpp"
#include "policies/text_parts.hpp"

namespace aliquot::prediction {
namespace {

constexpr std::string_view kOldHeader = "class,account,user,application,tasks,requested_us,runs_us";
constexpr std::string_view kHeader = "class,account,user,application,tasks,requested_us,runs_us,behind_us";
constexpr std::string_view kInterval = "interval";
constexpr std::size_t kOldColumns = 7;
constexpr std::size_t kColumns = 8;
constexpr std::size_t kLongestName = 256;  // characters
constexpr std::int64_t kMostTime_us = INT64_MAX / 4;

bool is_plain(char c) {
  return c > ' ' && c < '\x7f' && std::string_view(",;%\"").find(c) == std::string_view::npos;
}

std::string encoded(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string made;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain(c))
      made += c;
    else
      (made += '%').append({digits[byte / 16], digits[byte % 16]});
  }
  return made;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    std::size_t taken = 1;
    if (text.front() == '%') {
      unsigned byte = 0;
      taken = 3;
      if (text.size() < taken) return std::nullopt;
      const auto [end, error] = std::from_chars(text.data() + 1, text.data() + taken, byte, 16);
      if (error != std::errc{} || end != text.data() + taken) return std::nullopt;
      made += static_cast<char>(byte);
    } else if (is_plain(text.front())) {
      made += text.front();
    } else {
      return std::nullopt;
    }
    text.remove_prefix(taken);
  }
  return made.size() <= kLongestName ? std::optional(made) : std::nullopt;
}

template <class Number>
bool read(std::string_view text, Number& number, Number least, Number most) {
  return read_whole(text, number) && number >= least && number <= most;
}

// What the level does not keep stays at its default, and is not written.
std::string number_text(std::int64_t number, std::int64_t unwritten) {
  return number == unwritten ? "" : std::to_string(number);
}

std::string line_of(const RunTimeHistory::Known& known) {
  const RunTraits& traits = known.of.traits;
  std::string text(name(known.of.level));
  text += ',' + encoded(traits.account) + ',' + number_text(traits.user, 0) + ',' +
          encoded(traits.application) + ',' + number_text(traits.tasks, 1) + ',' +
          number_text(traits.requested.raw, 0) + ',';
  for (std::size_t k = 0; k < known.runs.size(); ++k)
    text.append(k == 0 ? "" : ";").append(std::to_string(known.runs[k].raw));
  return text + ',' + number_text(known.behind.raw, 0);
}

std::optional<RunClass> read_class(const std::vector<std::string_view>& fields) {
  const auto level = std::ranges::find(kLevelNames, fields[0]);
  const auto account = decoded(fields[1]);
  const auto application = decoded(fields[3]);
  if (level == kLevelNames.end() || !account || !application) return std::nullopt;
  RunTraits traits{*account, 0, *application, 1, {}};
  const bool numbers =
      (fields[2].empty() || read<std::uint32_t>(fields[2], traits.user, 0, UINT32_MAX)) &&
      (fields[4].empty() || read<std::uint32_t>(fields[4], traits.tasks, 0, UINT32_MAX)) &&
      (fields[5].empty() || read<std::int64_t>(fields[5], traits.requested.raw, 0, INT64_MAX));
  if (!numbers) return std::nullopt;
  const RunClass made = class_of(static_cast<ClassLevel>(level - kLevelNames.begin()), traits);
  return made.traits == traits ? std::optional(made) : std::nullopt;
}

std::optional<std::vector<Duration>> read_runs(std::string_view text) {
  std::vector<Duration> runs;
  for (const std::string_view run : split(text, ';'))
    if (!read<std::int64_t>(run, runs.emplace_back().raw, 0, kMostTime_us)) return std::nullopt;
  return runs.size() <= kRunsKept ? std::optional(runs) : std::nullopt;
}

}  // namespace

std::string RunTimeHistory::export_csv() const {
  std::string text = std::string(kHeader) + '\n' + std::string(kInterval) + ",,,,,," +
                     std::to_string(steps_below_) + ';' + std::to_string(steps_above_) + ",\n";
  for (const Entry& entry : order_) text += line_of(entry.known) + '\n';
  return text;
}

Result<void> RunTimeHistory::take_line(std::string_view line) {
  const auto wrong = [](const char* why) { return fail(ErrorKind::invalid_argument, why); };
  const std::vector<std::string_view> fields = split(line, ',');
  if (fields.size() != kColumns && fields.size() != kOldColumns) return wrong("give eight fields");
  if (fields[0] == kInterval) {
    const auto steps = split(fields[6], ';');
    if (steps.size() == 2 && read(steps[0], steps_below_, 0, kMostSteps) &&
        read(steps[1], steps_above_, 0, kMostSteps))
      return {};
    return wrong("give the two steps of the interval, whole numbers from 0 to 2560");
  }
  const auto of = read_class(fields);
  if (!of) return wrong("give a class with the traits that its level keeps, and no others");
  const auto runs = read_runs(fields[6]);
  if (!runs) return wrong("give 1 to 16 run times in microseconds, divided by semicolons");
  if (entries_.contains(*of)) return wrong("this class stands in a line above");
  Duration behind;
  if (fields.size() == kColumns && !fields[7].empty() &&
      !read<std::int64_t>(fields[7], behind.raw, -2 * kMostTime_us, 2 * kMostTime_us))
    return wrong("give by how many microseconds the class is behind a coarser one, a whole number");
  Entry& entry = entry_of(*of);
  entry.known.behind = behind;
  for (const Duration run : *runs) remember(entry, run);
  if (entries_.size() > most_) forget_least_recent();
  return {};
}

Result<RunTimeHistory> RunTimeHistory::import_csv(std::string_view text, std::size_t most) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.front() != kHeader && lines.front() != kOldHeader)
    return fail(ErrorKind::invalid_argument, "line 1: give the header '" + std::string(kHeader) + "'");
  RunTimeHistory history(most);
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (const auto taken = history.take_line(lines[i]); !taken)
      return fail(taken.error().kind, "line " + std::to_string(i + 1) + ": " + taken.error().message);
  return history;
}

}  // namespace aliquot::prediction
