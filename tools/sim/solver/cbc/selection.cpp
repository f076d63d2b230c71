#include <algorithm>
#include <numeric>

#include "tools/sim/solver/cbc/formulations.hpp"

namespace aliquot::ip {

namespace {

// Jobs whose nodes matter; of the others only the sum of their units counts.
bool is_shaped(const Request& r) {
  return r.devices > 0 || r.per_node > 0 || r.min_nodes > 0 || r.max_nodes > 0;
}

// Of any model the request would take.
std::uint32_t parts_for(const NodeKind& kind, const FreeResources& free, const Request& r) {
  const auto suits = [&](std::size_t d) { return d < kind.size() && r.models.accept({kind[d]}); };
  std::uint32_t parts = 0;
  for (std::size_t d = 0; d < kModelsPerNode; ++d) parts += suits(d) ? kWholeDevice * free.devices[d] : 0U;
  for (const FreeDevice& partial : free.partials) {
    if (r.is_slice() && suits(partial.model)) parts += partial.parts;
  }
  return parts;
}

// Whether its devices can be of one model of these only.
bool only_one_suits(const NodeKind& kind, const Request& r) {
  return std::ranges::count_if(kind, [&](std::uint16_t model) { return r.models.accept({model}); }) == 1;
}

std::uint32_t most_units(const FreeResources& free, const Request& r) {
  std::uint32_t units = r.per_node > 0 ? r.per_node : r.units;
  if (r.cpu > 0) units = std::min(units, free.cpu / r.cpu);
  if (r.memory > 0) units = std::min(units, free.memory / r.memory);
  return units;
}

class Writer {
 public:
  explicit Writer(const Instance& instance)
      : instance_(instance), capacity_(free_capacity(instance)), fewest_(fewest_alone()) {
    const double whole = 2.0 * instance.nodes;
    for (std::size_t j = 0; j < instance.requests.size(); ++j) {
      const auto weight = static_cast<double>(instance.requests[j].weight);
      program_.add({weight * (whole - fewest_[j]), 0, fewest_[j] > 0 ? 1.0 : 0.0, true});
    }
    const auto shares = [&](const Request& r) {
      return is_shaped(r) && std::any_of(capacity_.begin(), capacity_.end(), [&](const NodeClass& room) {
               return 2U * r.device_parts() <= room.free.device_parts() || r.devices == 0;
             });
    };
    shared_ = std::any_of(instance.requests.begin(), instance.requests.end(), shares);
  }

  MipProgram write() {
    add_totals();
    add_order();
    for (const NodeClass& room : capacity_) classes_.push_back(class_of(room));
    for (std::uint32_t j = 0; j < instance_.requests.size(); ++j) {
      if (is_shaped(instance_.requests[j]) && fewest_[j] > 0) add_shaped(j);
    }
    for (std::size_t k = 0; k < capacity_.size(); ++k) add_conflicts(k);
    for (Class& c : classes_) {
      for (MipRow* row : {&c.devices, &c.cpu, &c.whole}) {
        if (row->terms.size() > 1) program_.rows.push_back(std::move(*row));
      }
      for (MipRow& row : c.models) {
        if (row.terms.size() > 1) program_.rows.push_back(std::move(row));
      }
    }
    return std::move(program_);
  }

 private:
  struct Class {
    MipRow devices, cpu, whole;
    std::vector<MipRow> models;                              // by index into the kind
    std::vector<std::pair<std::uint32_t, std::uint32_t>> y;  // (column, request)
  };

  [[nodiscard]] Class class_of(const NodeClass& room) const {
    Class c;
    c.devices.upper = static_cast<double>(room.count) * room.free.device_parts();
    c.cpu.upper = static_cast<double>(room.count) * room.free.cpu;
    c.whole.upper = room.count;
    const NodeKind& kind = instance_.kinds[room.free.kind];
    c.models.resize(std::min(kind.size(), kModelsPerNode));
    for (std::size_t d = 0; d < c.models.size(); ++d)
      c.models[d].upper = static_cast<double>(room.count) * kWholeDevice * room.free.devices[d];
    for (const FreeDevice& partial : room.free.partials) {
      if (partial.parts > 0)
        c.models[partial.model].upper += static_cast<double>(room.count) * partial.parts;
    }
    return c;
  }

  [[nodiscard]] std::vector<std::uint32_t> fewest_alone() const {
    Placer placer(instance_);
    std::vector<std::uint32_t> fewest;
    for (std::uint32_t j = 0; j < instance_.requests.size(); ++j) {
      FreeCapacity alone = capacity_;
      fewest.push_back(placer.place(alone, j, NodeOrder::few_nodes));
    }
    return fewest;
  }

  void add_totals() {
    MipRow cpu;
    MipRow memory;
    double free_cpu = 0;
    double free_memory = 0;
    for (const NodeClass& room : capacity_) {
      free_cpu += static_cast<double>(room.count) * room.free.cpu;
      free_memory += static_cast<double>(room.count) * room.free.memory;
    }
    for (std::uint32_t j = 0; j < instance_.requests.size(); ++j) {
      const Request& r = instance_.requests[j];
      if (r.cpu > 0) cpu.terms.push_back({j, static_cast<double>(r.units) * r.cpu});
      if (r.memory > 0) memory.terms.push_back({j, static_cast<double>(r.units) * r.memory});
    }
    cpu.upper = free_cpu;
    memory.upper = free_memory;
    if (!cpu.terms.empty()) program_.rows.push_back(std::move(cpu));
    if (!memory.terms.empty()) program_.rows.push_back(std::move(memory));
  }

  // Of jobs equal in all but the weight, the one with the larger weight starts first.
  void add_order() {
    const std::vector<Request>& requests = instance_.requests;
    std::vector<std::uint32_t> order(requests.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return requests[a].weight > requests[b].weight;
    });
    std::vector<std::uint32_t> last;  // of each shape
    for (const std::uint32_t j : order) {
      const auto before = std::find_if(
          last.begin(), last.end(), [&](std::uint32_t i) { return same_shape(requests[i], requests[j]); });
      if (before == last.end()) {
        last.push_back(j);
      } else {
        program_.rows.push_back({{{*before, 1}, {j, -1}}, 0, kInfinite});
        *before = j;
      }
    }
  }

  void add_shaped(std::uint32_t j) {
    const Request& r = instance_.requests[j];
    MipRow room{{{j, -static_cast<double>(r.units)}}, 0, kInfinite};
    MipRow least{{{j, -static_cast<double>(fewest_[j])}}, 0, kInfinite};
    MipRow most{{{j, -static_cast<double>(r.most_nodes())}}, -kInfinite, 0};
    MipRow units{{{j, -static_cast<double>(r.units)}}, 0, 0};
    for (std::size_t k = 0; k < capacity_.size(); ++k) {
      const FreeResources& free = capacity_[k].free;
      const NodeKind& kind = instance_.kinds[free.kind];
      const std::uint32_t held = most_units(free, r);
      if (held == 0 || parts_for(kind, free, r) < r.device_parts()) continue;
      const double count = capacity_[k].count;
      const std::uint32_t y = program_.add({0, 0, count, true});
      Class& c = classes_[k];
      c.y.push_back({y, j});
      room.terms.push_back({y, static_cast<double>(held)});
      least.terms.push_back({y, 1});
      most.terms.push_back({y, 1});
      if (r.devices > 0) {
        const double parts = r.device_parts();
        c.devices.terms.push_back({y, parts});
        if (r.cpu > 0) c.whole.terms.push_back({y, parts / free.device_parts()});
        for (std::size_t d = 0; d < c.models.size(); ++d) {
          if (!r.models.empty() && only_one_suits(kind, r) && r.models.accept({kind[d]}))
            c.models[d].terms.push_back({y, parts});
        }
      } else if (r.per_node > 0 && r.units % r.per_node == 0 && r.per_node * r.cpu == free.cpu) {
        c.whole.terms.push_back({y, 1});
      }
      if (!shared_) continue;
      const std::uint32_t x = program_.add({0, 0, held * count, false});
      program_.rows.push_back({{{x, 1}, {y, -1}}, 0, kInfinite});
      program_.rows.push_back({{{x, 1}, {y, -static_cast<double>(held)}}, -kInfinite, 0});
      units.terms.push_back({x, 1});
      if (r.cpu > 0) c.cpu.terms.push_back({x, static_cast<double>(r.cpu)});
    }
    for (MipRow* row : {&room, &least, &most}) program_.rows.push_back(std::move(*row));
    if (shared_) program_.rows.push_back(std::move(units));
  }

  // A job that leaves too few devices for this one runs on other nodes.
  void add_conflicts(std::size_t k) {
    const std::uint32_t all = capacity_[k].free.device_parts();
    for (const auto& [y, j] : classes_[k].y) {
      const std::uint32_t own = instance_.requests[j].device_parts();
      if (own == 0 || 2 * own > all) continue;
      MipRow row{{{y, 1}}, -kInfinite, static_cast<double>(capacity_[k].count)};
      for (const auto& [other, i] : classes_[k].y) {
        const std::uint32_t theirs = instance_.requests[i].device_parts();
        if (i != j && 2 * theirs > all && theirs + own > all) row.terms.push_back({other, 1});
      }
      if (row.terms.size() > 1) program_.rows.push_back(std::move(row));
    }
  }

  const Instance& instance_;
  FreeCapacity capacity_;
  std::vector<std::uint32_t> fewest_;  // by request; 0: not even alone
  bool shared_ = false;                // two shaped jobs may stand on one node
  MipProgram program_;
  std::vector<Class> classes_;
};

}  // namespace

MipProgram selection_program(const Instance& instance) { return Writer(instance).write(); }

}  // namespace aliquot::ip
