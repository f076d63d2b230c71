// The contended nodes of a draft, those whose tasks need more CPU than the node has, grouped: neighbours
// among them that have one capacity and host the same tasks of the same jobs form one contention group. A
// wide job makes many such nodes, and whatever is worked out for a group holds for all of them. Grouping
// changes no result; it only saves work.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

class ContentionGroups {
 public:
  // Tasks of a job on each node of a group; the job's entry in the draft.
  struct Tasks {
    std::uint32_t entry;
    std::uint32_t count;
    friend bool operator==(const Tasks&, const Tasks&) = default;
  };
  struct Group {
    Cpu capacity;                  // of a node
    Cpu load;                      // the need of all its tasks
    std::span<const Tasks> tasks;  // in increasing entry
  };

  explicit ContentionGroups(const Draft& draft);
  // Moved, never copied: the groups refer to their tasks.
  ContentionGroups(ContentionGroups&&) = default;
  ContentionGroups& operator=(ContentionGroups&&) = default;

  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  [[nodiscard]] const Group& operator[](std::size_t k) const { return groups_[k]; }
  // In the order of their first nodes.
  [[nodiscard]] auto begin() const { return groups_.begin(); }
  [[nodiscard]] auto end() const { return groups_.end(); }
  // The entries of the jobs with tasks on contended nodes, increasing.
  [[nodiscard]] const std::vector<std::uint32_t>& jobs() const { return jobs_; }

 private:
  // Neighbouring nodes, the first and those before the end, with equally many tasks of a job.
  struct Row {
    std::uint32_t entry;
    std::uint32_t units;
    std::uint32_t first;
    std::uint32_t end;
  };
  // Of all placed jobs, by entry.
  static std::vector<Row> find_rows(const Draft& draft);
  // A group for each contended node that differs from the one before it, and those after it that do not.
  // Returns how many of these begin before each node. `tasks`: where those of each begin in tasks_.
  std::vector<std::uint32_t> find_contended(const Draft& draft, const std::vector<bool>& differs,
                                            std::vector<std::size_t>& tasks);
  // Fills them, and unites neighbours that turn out to be alike.
  void find_tasks(const std::vector<Row>& rows, const std::vector<std::uint32_t>& before,
                  std::vector<std::size_t> tasks);

  std::vector<Tasks> tasks_;  // of one group after the other
  std::vector<Group> groups_;
  std::vector<std::uint32_t> jobs_;
};

}  // namespace aliquot
