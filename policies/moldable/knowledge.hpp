// The knowledge base H of the molding paper: what finished runs have taught about applications, by problem
// size (Das, Sudhakaran, Ashok, sec. III-A, Table I).
//
// An entry is <S, T, I, n, mu>: for a problem size, the number of tasks that has done best, with its
// iterations, its run time and the memory of a task. It is replaced when a run was better: less time for
// each iteration, or as much with fewer tasks. There is one entry for each application and problem size;
// beyond a limit, the one that was used least recently goes.
//
// A value without a file. To keep it, store the text of export_csv(), and give it to import_csv() at the
// next start. Errors are those of what comes from outside: names, numbers, text (invalid_argument, with the
// line).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/moldable/molding.hpp"

namespace aliquot::moldable {

inline constexpr std::size_t kLongestApplication = 64;  // characters
inline constexpr const char* kApplicationNames = "give 1 to 64 letters, digits or any of ._+-";
[[nodiscard]] bool is_application(std::string_view name);

struct KnownRun {
  std::string application;       // letters, digits and any of ._+-
  std::uint64_t problem_size{};  // S, in a unit of the application's own: cells, atoms
  std::uint64_t iterations = 1;  // I, at least 1
  std::uint32_t tasks = 1;       // n
  Duration time;                 // T, the virtual time: as if alone
  Memory memory;                 // mu, of a task
  friend bool operator==(const KnownRun&, const KnownRun&) = default;
};

class KnowledgeBase {
 public:
  // At least one entry; `most` 0 counts as 1.
  explicit KnowledgeBase(std::size_t most);

  enum class Lesson : std::uint8_t { added, improved, not_better };
  // Takes in a run that has finished.
  [[nodiscard]] Result<Lesson> learn(const KnownRun& run);

  enum class Match : std::uint8_t {
    exact,    // this problem size
    nearest,  // another size of the application, the nearest by ratio, the smaller of two
  };
  struct Advice {
    Match match = Match::exact;
    std::uint32_t tasks = 1;  // within the range
    bool clamped = false;     // the entry has a number outside of the range
    KnownRun entry;
  };
  // What is known of an application, and of a problem size if possible; none: nothing. Counts as a use of
  // the entry.
  [[nodiscard]] std::optional<Advice> advise(const std::string& application, std::uint64_t problem_size,
                                             TaskRange range);

  // Forgets one problem size of an application, or all of them: how many entries there were.
  std::size_t forget(const std::string& application, std::optional<std::uint64_t> problem_size);

  // The least recently used first.
  [[nodiscard]] std::vector<KnownRun> list() const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  // With a header; the order is that of list(), so that an import forgets the same entries.
  [[nodiscard]] std::string export_csv() const;
  // Line by line what learn() takes in. An entry that is not better than one of the text before is left
  // out.
  [[nodiscard]] static Result<KnowledgeBase> import_csv(std::string_view text, std::size_t most);

 private:
  using Key = std::pair<std::string, std::uint64_t>;  // application, problem size
  struct Entry {
    KnownRun run;
    std::uint64_t used = 0;  // the number of the use
  };
  void forget_least_recent();

  std::size_t most_;
  std::uint64_t uses_ = 0;
  std::map<Key, Entry> entries_;
};

// The memory of the problem that the tasks of an entry have divided among them: the paper's restriction
// that fewer tasks must not overflow mu. For MoldableOffer.
[[nodiscard]] Memory divided_memory(const KnownRun& entry);

// One sentence: why so many tasks.
[[nodiscard]] std::string explain(const KnowledgeBase::Advice& advice);

}  // namespace aliquot::moldable
