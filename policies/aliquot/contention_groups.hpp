// The contended nodes of a draft, those whose tasks need more CPU than the node has, grouped: nodes of one
// capacity that host the same tasks of the same jobs form one contention group. A wide job makes many such
// nodes, and whatever is worked out for a group holds for all of them. Grouping changes no result; it only
// saves work.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "policies/draft.hpp"

namespace aliquot {

class ContentionGroups {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  // Tasks of a job on each node of a group. Jobs are numbered as in jobs().
  struct Tasks {
    std::uint32_t job;
    std::uint32_t count;
    friend bool operator==(const Tasks&, const Tasks&) = default;
  };
  struct Group {
    Cpu capacity;  // of a node
    Cpu load;      // the need of all its tasks
    std::uint32_t first;
    std::uint32_t last;
  };

  explicit ContentionGroups(const Draft& draft);

  // In the order of their first nodes.
  [[nodiscard]] std::span<const Group> groups() const { return groups_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(groups_.size()); }
  // In increasing number of the job.
  [[nodiscard]] std::span<const Tasks> tasks_of(std::uint32_t group) const {
    return {tasks_.data() + groups_[group].first, tasks_.data() + groups_[group].last};
  }
  // The number of a node's group; kNone if the node is not contended.
  [[nodiscard]] std::uint32_t group_of(NodeId node) const {
    return group_of_.empty() ? kNone : group_of_[node.raw];
  }
  // The entries of the jobs with tasks on contended nodes, increasing.
  [[nodiscard]] std::span<const std::uint32_t> jobs() const { return jobs_; }

 private:
  struct Node {
    std::uint32_t node;
    Cpu capacity;
    Cpu load;
    std::uint32_t first;  // of its tasks
    std::uint32_t last;
    std::uint64_t hash;  // the sum of the hashes of its tasks
  };
  using Nodes = std::pmr::vector<Node>;

  void find_nodes(const Draft& draft, Nodes& nodes);
  void find_tasks(const Draft& draft, Nodes& nodes);
  void unite(const Nodes& nodes);

  std::pmr::vector<Group> groups_;
  std::pmr::vector<Tasks> tasks_;
  std::pmr::vector<std::uint32_t> jobs_;
  std::pmr::vector<std::uint32_t> group_of_;  // by node; empty: no node is contended
};

// The groups in which each job has tasks.
class GroupsOfJobs {
 public:
  struct Tasks {
    std::uint32_t group;
    std::uint32_t count;  // on each node of the group
  };
  GroupsOfJobs(const ContentionGroups& groups, std::pmr::memory_resource* memory);

  // By number of the job.
  [[nodiscard]] std::span<const Tasks> operator[](std::uint32_t job) const {
    return {tasks_.data() + first_[job], tasks_.data() + first_[job + 1]};
  }

 private:
  std::pmr::vector<std::uint32_t> first_;  // by job
  std::pmr::vector<Tasks> tasks_;
};

}  // namespace aliquot
