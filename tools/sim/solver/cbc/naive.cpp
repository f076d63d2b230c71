#include "tools/sim/solver/cbc/formulations.hpp"

namespace aliquot::ip {

namespace {

struct Rows {
  MipRow cpu, memory, devices;
};

// Job j: its columns on every node, and the rows that tie them to s_j.
void add_job(const Instance& instance, const std::vector<FreeResources>& nodes, std::uint32_t j,
             MipProgram& program, std::vector<Rows>& of_node) {
  const Request& r = instance.requests[j];
  const auto weight = static_cast<double>(r.weight);
  MipRow units{{{j, -static_cast<double>(r.units)}}, 0, 0};                   // (2)
  MipRow least{{{j, -static_cast<double>(r.fewest_nodes())}}, 0, kInfinite};  // (5), repaired
  MipRow most{{{j, -static_cast<double>(r.most_nodes())}}, -kInfinite, 0};
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::uint32_t room = units_on(instance, nodes[n], r);
    if (room == 0) continue;
    const std::uint32_t x = program.add({0, 0, static_cast<double>(room), true});
    const std::uint32_t t = program.add({-weight, 0, 1, true});  // (4), in units of 1 / 2|N|
    units.terms.push_back({x, 1});
    least.terms.push_back({t, 1});
    most.terms.push_back({t, 1});
    program.rows.push_back({{{x, 1}, {t, -1}}, 0, kInfinite});  // (6): t = 1 exactly where x > 0
    program.rows.push_back({{{x, 1}, {t, -static_cast<double>(room)}}, -kInfinite, 0});
    of_node[n].cpu.terms.push_back({x, static_cast<double>(r.cpu)});  // (1)
    if (r.memory > 0) of_node[n].memory.terms.push_back({x, static_cast<double>(r.memory)});
    if (r.devices > 0) of_node[n].devices.terms.push_back({t, static_cast<double>(r.devices)});  // (3)
  }
  program.rows.push_back(std::move(units));
  program.rows.push_back(std::move(least));
  program.rows.push_back(std::move(most));
}

}  // namespace

Result<MipProgram> naive_program(const Instance& instance) {
  if (!one_model_each(instance)) {
    return fail(ErrorKind::unsupported, "the naive formulation takes nodes of one device model each");
  }
  if (has_slices(instance)) {
    return fail(ErrorKind::unsupported, "the naive formulation knows whole devices only");
  }
  std::vector<FreeResources> nodes;
  for (const NodeClass& c : instance.classes) nodes.insert(nodes.end(), c.count, c.free);
  MipProgram program;
  const double whole = 2.0 * instance.nodes;
  for (const Request& r : instance.requests) {
    program.add({static_cast<double>(r.weight) * whole, 0, 1, true});
  }
  std::vector<Rows> of_node(nodes.size());
  for (std::uint32_t j = 0; j < instance.requests.size(); ++j)
    add_job(instance, nodes, j, program, of_node);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    of_node[n].cpu.upper = nodes[n].cpu;
    of_node[n].memory.upper = nodes[n].memory;
    of_node[n].devices.upper = nodes[n].devices[0];
    for (MipRow* row : {&of_node[n].cpu, &of_node[n].memory, &of_node[n].devices}) {
      if (!row->terms.empty()) program.rows.push_back(std::move(*row));
    }
  }
  return program;
}

}  // namespace aliquot::ip
