#include "policies/moldable/knowledge.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "policies/text_parts.hpp"

namespace aliquot::moldable {
namespace {

constexpr std::string_view kHeader = "application,problem_size,iterations,tasks,time_us,memory_bytes";
constexpr std::size_t kColumns = 6;

std::optional<std::string> fault_of(const KnownRun& run) {
  if (!is_application(run.application)) return std::string("the application: ") + kApplicationNames;
  if (run.iterations < 1) return "the iterations: give at least 1";
  if (run.tasks < 1 || run.tasks > kMostTasks) return "the tasks: give 1 to 1000000";
  if (run.time < Duration{1}) return "the time: give at least a microsecond";
  if (run.memory < Memory{0}) return "the memory: give no negative amount";
  return std::nullopt;
}

// T / I, compared without a division.
bool is_better(const KnownRun& run, const KnownRun& entry) {
  const Int128 ours = static_cast<Int128>(run.time.raw) * entry.iterations;
  const Int128 theirs = static_cast<Int128>(entry.time.raw) * run.iterations;
  return ours != theirs ? ours < theirs : run.tasks < entry.tasks;
}

// Whether size a is nearer to `asked` than b, by ratio; sizes count as one at least.
bool is_nearer(std::uint64_t a, std::uint64_t b, std::uint64_t asked) {
  const auto apart = [&](std::uint64_t size) {
    const auto low = static_cast<double>(std::max<std::uint64_t>(std::min(size, asked), 1));
    const auto high = static_cast<double>(std::max<std::uint64_t>(std::max(size, asked), 1));
    return high / low;
  };
  return apart(a) < apart(b);
}

std::optional<KnownRun> read_line(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, ',');
  if (fields.size() != kColumns) return std::nullopt;
  KnownRun run;
  run.application = fields[0];
  const bool numbers = read_whole(fields[1], run.problem_size) && read_whole(fields[2], run.iterations) &&
                       read_whole(fields[3], run.tasks) && read_whole(fields[4], run.time.raw) &&
                       read_whole(fields[5], run.memory.raw);
  return numbers ? std::optional(run) : std::nullopt;
}

}  // namespace

bool is_application(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._+-").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kLongestApplication && std::ranges::all_of(name, fits);
}

KnowledgeBase::KnowledgeBase(std::size_t most) : most_(std::max<std::size_t>(most, 1)) {}

Result<KnowledgeBase::Lesson> KnowledgeBase::learn(const KnownRun& run) {
  if (const auto fault = fault_of(run)) return fail(ErrorKind::invalid_argument, *fault);
  const auto [place, is_new] = entries_.try_emplace({run.application, run.problem_size});
  Entry& entry = place->second;
  const bool improved = is_new || is_better(run, entry.run);
  if (improved) entry.run = run;
  entry.used = ++uses_;
  if (!is_new) return improved ? Lesson::improved : Lesson::not_better;
  if (entries_.size() > most_) forget_least_recent();
  return Lesson::added;
}

void KnowledgeBase::forget_least_recent() {
  entries_.erase(std::ranges::min_element(entries_, {}, [](const auto& pair) { return pair.second.used; }));
}

std::optional<KnowledgeBase::Advice> KnowledgeBase::advise(const std::string& application,
                                                           std::uint64_t problem_size, TaskRange range) {
  auto best = entries_.end();
  const auto first = entries_.lower_bound({application, 0});
  for (auto at = first; at != entries_.end() && at->first.first == application; ++at) {
    if (best == entries_.end() || is_nearer(at->first.second, best->first.second, problem_size)) best = at;
  }
  if (best == entries_.end()) return std::nullopt;
  best->second.used = ++uses_;
  const KnownRun& run = best->second.run;
  return Advice{run.problem_size == problem_size ? Match::exact : Match::nearest, range.nearest(run.tasks),
                range.nearest(run.tasks) != run.tasks, run};
}

std::size_t KnowledgeBase::forget(const std::string& application,
                                  std::optional<std::uint64_t> problem_size) {
  return std::erase_if(entries_, [&](const auto& entry) {
    const auto& [name, size] = entry.first;
    return name == application && (!problem_size || size == *problem_size);
  });
}

std::vector<KnownRun> KnowledgeBase::list() const {
  std::vector<const Entry*> order;
  for (const auto& [key, entry] : entries_) order.push_back(&entry);
  std::ranges::sort(order, {}, &Entry::used);
  std::vector<KnownRun> runs;
  for (const Entry* entry : order) runs.push_back(entry->run);
  return runs;
}

std::string KnowledgeBase::export_csv() const {
  std::string text = std::string(kHeader) + '\n';
  for (const KnownRun& run : list())
    text += run.application + ',' + std::to_string(run.problem_size) + ',' +
            std::to_string(run.iterations) + ',' + std::to_string(run.tasks) + ',' +
            std::to_string(run.time.raw) + ',' + std::to_string(run.memory.raw) + '\n';
  return text;
}

Result<KnowledgeBase> KnowledgeBase::import_csv(std::string_view text, std::size_t most) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.front() != kHeader)
    return fail(ErrorKind::invalid_argument, "line 1: give the header '" + std::string(kHeader) + "'");
  KnowledgeBase base(most);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string where = "line " + std::to_string(i + 1) + ": ";
    const auto run = read_line(lines[i]);
    if (!run)
      return fail(ErrorKind::invalid_argument, where + "give six fields, all but the first whole numbers");
    if (const auto learned = base.learn(*run); !learned)
      return fail(learned.error().kind, where + learned.error().message);
  }
  return base;
}

Memory divided_memory(const KnownRun& entry) {
  const Int128 whole = static_cast<Int128>(entry.memory.raw) * entry.tasks;
  return {static_cast<std::int64_t>(std::min<Int128>(whole, INT64_MAX))};
}

std::string explain(const KnowledgeBase::Advice& advice) {
  const KnownRun& run = advice.entry;
  std::string text = std::to_string(advice.tasks) + (advice.tasks == 1 ? " task: " : " tasks: ");
  if (advice.clamped) text += "the nearest in the job's range to " + std::to_string(run.tasks) + ", ";
  text += "the best number so far of " + run.application + " with problem size " +
          std::to_string(run.problem_size);
  if (advice.match == KnowledgeBase::Match::nearest) text += ", the nearest size that is known";
  return text + ".";
}

}  // namespace aliquot::moldable
