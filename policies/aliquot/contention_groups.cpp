#include "policies/aliquot/contention_groups.hpp"

#include <algorithm>
#include <bit>

namespace aliquot {

namespace {

std::uint64_t hash_of(std::uint32_t job, std::uint32_t count) {  // the finalizer of splitmix64
  std::uint64_t hash = (std::uint64_t{job} << 32 | count) + 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

// The groups that are known so far, by hash: open addressing.
class KnownGroups {
 public:
  KnownGroups(std::size_t most, std::pmr::memory_resource* memory)
      : slots_(std::bit_ceil(2 * most + 1), memory) {}

  // The group of this hash for which is_equal(group) holds, or kNone to be overwritten.
  template <class IsEqual>
  std::uint32_t& find(std::uint64_t hash, IsEqual&& is_equal) {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].group != ContentionGroups::kNone &&
           !(slots_[at].hash == hash && is_equal(slots_[at].group)))
      at = (at + 1) & (slots_.size() - 1);
    slots_[at].hash = hash;
    return slots_[at].group;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t group = ContentionGroups::kNone;
  };
  std::pmr::vector<Slot> slots_;
};

}  // namespace

ContentionGroups::ContentionGroups(const Draft& draft)
    : groups_(draft.memory()), tasks_(draft.memory()), jobs_(draft.memory()), group_of_(draft.memory()) {
  Nodes nodes(draft.memory());
  find_nodes(draft, nodes);
  if (nodes.empty()) return;
  find_tasks(draft, nodes);
  unite(nodes);
}

// Until they are united, group_of_ holds positions among the nodes, and every node has its tasks to itself.
void ContentionGroups::find_nodes(const Draft& draft, Nodes& nodes) {
  const NodeLedger* const ledgers = draft.capacity().all();
  std::uint32_t most = 0;  // tasks
  for (const NodeRun& run : draft.node_runs()) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      if (!(ledgers[n].load > run.capacity)) continue;
      if (nodes.empty()) group_of_.resize(draft.nodes(), kNone);
      group_of_[n] = static_cast<std::uint32_t>(nodes.size());
      nodes.push_back(
          {n, run.capacity, ledgers[n].load, most, most, static_cast<std::uint64_t>(run.capacity.raw)});
      most += static_cast<std::uint32_t>(ledgers[n].tasks);
    }
  }
  tasks_.resize(most);
}

void ContentionGroups::find_tasks(const Draft& draft, Nodes& nodes) {
  for (const std::uint32_t i : draft.placed_entries()) {
    const auto job = static_cast<std::uint32_t>(jobs_.size());
    std::uint32_t count = 0;
    std::uint64_t hash = 0;
    for (const Share& share : draft.placement(i)) {
      const std::uint32_t at = group_of_[share.node.raw];
      if (at == kNone) continue;
      if (share.units != count) hash = hash_of(job, count = share.units);
      tasks_[nodes[at].last++] = {job, count};
      nodes[at].hash += hash;
    }
    if (count > 0) jobs_.push_back(i);
  }
}

// The tasks of each group are moved together.
void ContentionGroups::unite(const Nodes& nodes) {
  KnownGroups known(nodes.size(), nodes.get_allocator().resource());
  groups_.reserve(nodes.size());
  std::uint32_t end = 0;
  for (const Node& node : nodes) {
    const std::span<const Tasks> tasks(tasks_.data() + node.first, node.last - node.first);
    std::uint32_t& group = known.find(node.hash, [&](std::uint32_t other) {
      return groups_[other].capacity == node.capacity && std::ranges::equal(tasks_of(other), tasks);
    });
    if (group == kNone) {
      group = static_cast<std::uint32_t>(groups_.size());
      std::copy(tasks.begin(), tasks.end(), tasks_.begin() + end);
      const auto last = end + static_cast<std::uint32_t>(tasks.size());
      groups_.push_back({node.capacity, node.load, end, last});
      end = last;
    }
    group_of_[node.node] = group;
  }
  tasks_.resize(end);
}

GroupsOfJobs::GroupsOfJobs(const ContentionGroups& groups, std::pmr::memory_resource* memory)
    : first_(groups.jobs().size() + 1, 0, memory), tasks_(memory) {
  for (std::uint32_t k = 0; k < groups.size(); ++k)
    for (const auto& tasks : groups.tasks_of(k)) ++first_[tasks.job];
  std::uint32_t end = 0;
  for (std::uint32_t& first : first_) first = end += first;
  tasks_.resize(end);
  for (std::uint32_t k = 0; k < groups.size(); ++k)
    for (const auto& [job, count] : groups.tasks_of(k)) tasks_[--first_[job]] = {k, count};
}

}  // namespace aliquot
