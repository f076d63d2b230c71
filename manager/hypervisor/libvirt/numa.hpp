// The NUMA cells of a libvirt node: what libvirt says of them, what is bound to each, and the binding of a
// VM as part of its definition. What is bound is read from the node each time, so it is right after a
// restart, and other programs' VMs count, too.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/libvirt/libvirt_calls.hpp"
#include "manager/hypervisor/numa_cells.hpp"

namespace aliquot {

// hypervisor.numa: whether VMs are bound to cells, and what of them.
enum class NumaBinding : std::uint8_t { off, memory, cells };
[[nodiscard]] NumaBinding numa_binding(std::string_view word);

// From libvirt's capabilities of a host, by id. Empty: it says nothing of cells.
[[nodiscard]] std::vector<NumaCell> parse_cells(const std::string& capabilities);
[[nodiscard]] Result<std::vector<NumaCell>> read_cells(const Connection& node);
[[nodiscard]] Result<CellLoads> read_loads(const Connection& node);

// Is the VM of this definition bound to a cell?
[[nodiscard]] bool is_bound(const std::string& domain_xml);
// The definition with the VM bound to the cell (its memory, and its vCPUs if `vcpus`), or to none. Memory
// that the cell does not have comes from the others: a VM is not ended for want of near memory.
[[nodiscard]] Result<std::string> bound_to(const std::string& domain_xml,
                                           const std::optional<NumaCell>& cell, bool vcpus);

// Of a VM as it was saved, or is to be moved. Empty: libvirt does not tell it.
[[nodiscard]] std::string saved_definition(const Connection& node, const std::string& image);
[[nodiscard]] std::string movable_definition(const DomainHandle& domain);

// The cells of one node, for the VMs that come to it: created, restored, or moved. Any thread.
class CellChoice {
 public:
  explicit CellChoice(NumaBinding binding) : binding_(binding) {}

  // The cell that a VM has been promised while it comes; given back when this is destroyed, and the node
  // itself tells where the VM stands.
  class Promise {
   public:
    Promise() = default;
    Promise(CellChoice* owner, Uuid vm, NumaCell cell) : owner_(owner), vm_(vm), cell_(std::move(cell)) {}
    Promise(Promise&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), vm_(other.vm_), cell_(std::move(other.cell_)) {}
    Promise& operator=(Promise&&) = delete;
    ~Promise() {
      if (owner_ != nullptr) owner_->end(vm_);
    }
    [[nodiscard]] const std::optional<NumaCell>& cell() const { return cell_; }

   private:
    CellChoice* owner_ = nullptr;
    Uuid vm_{};
    std::optional<NumaCell> cell_;
  };
  // None if the VM fits into no cell, if the node has only one or does not tell, or if nothing is bound.
  [[nodiscard]] Promise promise(const Connection& node, const Uuid& vm, std::uint32_t vcpus, Memory memory);

  // The definition with the VM bound as promised. As it is, if there is nothing to change.
  [[nodiscard]] Result<std::string> apply(std::string domain_xml, const Promise& promise) const;

 private:
  void end(const Uuid& vm);

  const NumaBinding binding_;
  std::mutex mutex_;
  std::optional<std::vector<NumaCell>> cells_;  // once they were read
  struct Coming {
    std::uint32_t cell;
    CellLoad load;
  };
  std::map<Uuid, Coming> coming_;
};

}  // namespace aliquot
