// NUMA: the cells of a node, each with its CPUs and the memory that is near to them, and the cell in which
// a VM is to stand.
//
// A VM stands in a cell only if it fits into one as a whole. No more vCPUs are bound to a cell than it has
// CPUs. So every cap can be met, as on a node without cells: the bound VMs need no more than their cells
// have, and the others, which run anywhere, find the rest. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/units.hpp"

namespace aliquot {

struct NumaCell {
  std::uint32_t id = 0;     // the number that the operating system gives it
  std::string cpus;         // its CPUs, as libvirt takes them: "0-7,16-23"
  std::uint32_t count = 0;  // of CPUs
  Memory memory;
  friend bool operator==(const NumaCell&, const NumaCell&) = default;
};

// What is bound to a cell.
struct CellLoad {
  std::uint32_t vms = 0;
  std::uint32_t vcpus = 0;
  Memory memory;  // of their guests
  friend bool operator==(const CellLoad&, const CellLoad&) = default;
};
using CellLoads = std::map<std::uint32_t, CellLoad>;  // by id; no entry: nothing is bound to it

// "0-3,8" of 0, 1, 2, 3, 8, in any order.
[[nodiscard]] std::string cpu_list(std::vector<std::uint32_t> cpus);

// Of the cells into which the VM fits the one with the most CPUs left, of equal ones with the most memory
// left, then the first. None: it fits into none, or the node has only one.
[[nodiscard]] std::optional<NumaCell> cell_for(const std::vector<NumaCell>& cells, const CellLoads& loads,
                                               std::uint32_t vcpus, Memory memory);

}  // namespace aliquot
