#include <bit>

#include "tools/sim/solver/cbc/formulations.hpp"

namespace aliquot::ip {

namespace {

using Set = std::uint32_t;  // of jobs: bit j

constexpr std::size_t kMostExactJobs = 16;

// The rows of a job collect its terms over all classes.
class Writer {
 public:
  explicit Writer(const Instance& instance) : instance_(instance) {
    const double whole = 2.0 * instance.nodes;
    for (std::uint32_t j = 0; j < instance.requests.size(); ++j) {
      const Request& r = instance.requests[j];
      program_.add({static_cast<double>(r.weight) * whole, 0, 1, true});
      units_.push_back({{{j, -static_cast<double>(r.units)}}, 0, 0});
      least_.push_back({{{j, -static_cast<double>(r.fewest_nodes())}}, 0, kInfinite});
      most_.push_back({{{j, -static_cast<double>(r.most_nodes())}}, -kInfinite, 0});
    }
  }

  bool add_class(const NodeClass& nodes) {
    std::vector<std::uint32_t> room;
    for (const Request& r : instance_.requests) room.push_back(units_on(instance_, nodes.free, r));
    MipRow count{{}, -kInfinite, static_cast<double>(nodes.count)};
    for (Set q = 1; q < (Set{1} << room.size()); ++q) {
      if (!together(q, nodes.free, room)) continue;
      count.terms.push_back({add_set(q, nodes, room), 1});
      if (program_.columns.size() > kMostExactColumns) return false;
    }
    if (!count.terms.empty()) program_.rows.push_back(std::move(count));
    return true;
  }

  MipProgram finish() {
    for (auto* rows : {&units_, &least_, &most_}) {
      for (MipRow& row : *rows) program_.rows.push_back(std::move(row));
    }
    return std::move(program_);
  }

 private:
  // Whether one such node can hold one unit of each.
  [[nodiscard]] bool together(Set q, const FreeResources& free,
                              const std::vector<std::uint32_t>& room) const {
    std::uint32_t cpu = 0;
    std::uint32_t memory = 0;
    std::uint32_t devices = 0;
    std::vector<std::uint16_t> slices;
    for (Set rest = q; rest != 0; rest &= rest - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(rest));
      const Request& r = instance_.requests[j];
      if (room[j] == 0) return false;
      cpu += r.cpu;
      memory += r.memory;
      if (r.is_slice()) {
        slices.push_back(r.parts);
      } else {
        devices += r.devices;
      }
    }
    if (cpu > free.cpu || memory > free.memory || devices > free.devices[0]) return false;
    std::vector<std::uint16_t> slots(free.devices[0] - devices, kWholeDevice);
    for (const FreeDevice& partial : free.partials) slots.push_back(partial.parts);
    return slices_fit(slices, 0, slots);
  }

  // By trying every slot for each slice.
  static bool slices_fit(const std::vector<std::uint16_t>& slices, std::size_t next,
                         std::vector<std::uint16_t>& slots) {
    if (next == slices.size()) return true;
    for (std::uint16_t& slot : slots) {
      if (slot < slices[next]) continue;
      slot = static_cast<std::uint16_t>(slot - slices[next]);
      const bool fits = slices_fit(slices, next + 1, slots);
      slot = static_cast<std::uint16_t>(slot + slices[next]);
      if (fits) return true;
    }
    return false;
  }

  // z_kq and its X_jkq. Returns z.
  std::uint32_t add_set(Set q, const NodeClass& nodes, const std::vector<std::uint32_t>& room) {
    double price = 0;
    MipColumn z{0, 0, static_cast<double>(nodes.count), true};
    for (Set rest = q; rest != 0; rest &= rest - 1)
      price +=
          static_cast<double>(instance_.requests[static_cast<std::size_t>(std::countr_zero(rest))].weight);
    z.objective = -price;
    const std::uint32_t column = program_.add(z);
    MipRow cpu{{{column, -static_cast<double>(nodes.free.cpu)}}, -kInfinite, 0};
    MipRow memory{{{column, -static_cast<double>(nodes.free.memory)}}, -kInfinite, 0};
    for (Set rest = q; rest != 0; rest &= rest - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(rest));
      const Request& r = instance_.requests[j];
      const double most = room[j];
      const std::uint32_t x = program_.add({0, 0, most * nodes.count, true});
      program_.rows.push_back({{{x, 1}, {column, -1}}, 0, kInfinite});
      program_.rows.push_back({{{x, 1}, {column, -most}}, -kInfinite, 0});
      cpu.terms.push_back({x, static_cast<double>(r.cpu)});
      if (r.memory > 0) memory.terms.push_back({x, static_cast<double>(r.memory)});
      units_[j].terms.push_back({x, 1});
      least_[j].terms.push_back({column, 1});
      most_[j].terms.push_back({column, 1});
    }
    program_.rows.push_back(std::move(cpu));
    if (memory.terms.size() > 1) program_.rows.push_back(std::move(memory));
    return column;
  }

  const Instance& instance_;
  MipProgram program_;
  std::vector<MipRow> units_, least_, most_;  // by job
};

}  // namespace

Result<MipProgram> exact_program(const Instance& instance) {
  if (!one_model_each(instance)) {
    return fail(ErrorKind::unsupported, "the exact formulation takes nodes of one device model each");
  }
  const std::string how = "; use the set selection, or a window of fewer jobs";
  if (instance.requests.size() > kMostExactJobs) {
    return fail(ErrorKind::too_large, "the exact formulation takes at most " +
                                          std::to_string(kMostExactJobs) + " jobs, not " +
                                          std::to_string(instance.requests.size()) + how);
  }
  Writer writer(instance);
  for (const NodeClass& c : instance.classes) {
    if (!writer.add_class(c)) {
      return fail(ErrorKind::too_large, "the exact formulation would have more than " +
                                            std::to_string(kMostExactColumns) + " columns" + how);
    }
  }
  return writer.finish();
}

}  // namespace aliquot::ip
