// The free capacity by node class, and how one request is placed in it.
//
// The state of a collective placement is a short list of node classes instead of a list of nodes: to place
// a job changes a few counters, whatever the number of nodes. Nothing here chooses between requests.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policies/placement/model/instance.hpp"

namespace aliquot::ip {

// Classes that differ in what is free.
using FreeCapacity = std::vector<NodeClass>;

[[nodiscard]] FreeCapacity free_capacity(const Instance& instance);

// Which nodes are filled first. A request for devices goes to few nodes in any case, as it gets devices on
// each of them.
enum class NodeOrder : std::uint8_t {
  spare_devices,  // those with the fewest free devices, of these the emptiest
  few_nodes,      // the emptiest
};

// Refers to the instance, which must outlive it.
class Placer {
 public:
  explicit Placer(const Instance& instance) : instance_(instance) {}

  // Places all units of the request, or nothing. Returns the number of nodes; 0: it does not fit, as does a
  // request that contradicts itself. Appends to `allocations` unless that is null. A request that fits the
  // capacity is always placed; without limits on its nodes NodeOrder::few_nodes then takes the fewest
  // possible.
  std::uint32_t place(FreeCapacity& capacity, std::uint32_t request, NodeOrder order,
                      std::vector<ClassAllocation>* allocations = nullptr);

  // Counted work: a unit for each class looked at, and so on; never a time.
  [[nodiscard]] std::uint64_t work() const { return work_; }
  void add_work(std::uint64_t more) { work_ += more; }
  [[nodiscard]] const Instance& instance() const { return instance_; }

 private:
  // A class whose nodes can hold something of the request.
  struct Candidate {
    std::array<std::int64_t, 3> rank{};  // smaller: filled first
    std::uint32_t node_class = 0;
    std::uint32_t units = 0;  // that one of these nodes could hold, at most those asked for
    std::uint32_t count = 0;
    std::uint32_t used = 0;
    std::uint32_t devices = 0;
    FreeDevice device;
  };
  struct Choice {
    std::size_t candidate = 0;
    std::uint32_t units = 0;  // on each node
    std::uint32_t nodes = 0;
  };

  bool find_candidates(const FreeCapacity& capacity, const Request& request, NodeOrder order);
  void choose(std::size_t candidate, std::uint32_t units, std::uint32_t nodes);
  void choose_nothing();
  bool choose_last_node(std::uint32_t units);
  std::uint32_t choose_per_node(const Request& request);
  std::uint32_t choose_any(const Request& request);
  std::uint32_t fill_nodes(const Request& request);
  bool choose_nodes_that_hold(std::uint32_t units, std::uint32_t nodes, const Request& request);
  std::uint32_t choose_exactly(const Request& request, std::uint32_t nodes);
  void spread_evenly(const Request& request);
  void largest_first();
  void carry_out(FreeCapacity& capacity, std::uint32_t request, std::vector<ClassAllocation>* allocations);

  const Instance& instance_;
  std::vector<Candidate> candidates_;
  std::vector<Choice> choices_;
  std::uint64_t work_ = 0;
};

}  // namespace aliquot::ip
