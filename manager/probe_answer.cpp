#include "manager/probe_answer.hpp"

#include <nlohmann/json.hpp>

namespace aliquot {
namespace {

using nlohmann::json;

json or_null(const std::string& text) { return text.empty() ? json() : json(text); }
json or_null(const std::optional<std::uint32_t>& number) { return number ? json(*number) : json(); }

json device_part(const StockLine& line) {
  const NodeDevice& device = line.device;
  json types = json::array();
  for (const MdevType& type : device.mdev_types)
    types.push_back({{"type", type.id}, {"name", type.name}, {"available", type.available}});
  return {{"place", or_null(device.place)},
          {"sort", or_null(device.sort)},
          {"label", or_null(device.label)},
          {"driver", or_null(device.driver)},
          {"iommu_group", or_null(device.iommu_group)},
          {"numa_node", or_null(device.numa_node)},
          {"mdev_types", std::move(types)},
          {"model", or_null(line.model)},
          {"why_not", or_null(line.why_not)}};
}

json cell_part(const NumaCell& cell, const CellLoads& loads) {
  const auto at = loads.find(cell.id);
  const CellLoad load = at == loads.end() ? CellLoad{} : at->second;
  return {{"cell", cell.id}, {"cpus", cell.cpus},   {"memory_bytes", cell.memory.raw},
          {"vms", load.vms}, {"vcpus", load.vcpus}, {"vm_memory_bytes", load.memory.raw}};
}

}  // namespace

std::string probe_answer(const NodeFacts& facts, const Stock& stock) {
  json devices = json::array();
  for (const StockLine& line : stock.lines) devices.push_back(device_part(line));
  json cells = json::array();
  for (const NumaCell& cell : facts.cells) cells.push_back(cell_part(cell, facts.cell_loads));
  const json answer = {{"cores", facts.cores},
                       {"memory_bytes", facts.memory.raw},
                       {"hypervisor", facts.hypervisor},
                       {"acceleration", facts.acceleration},
                       {"note", or_null(facts.note)},
                       {"devices", std::move(devices)},
                       {"devices_unknown", or_null(facts.devices_unknown)},
                       {"cells", std::move(cells)}};
  // What libvirt passes on of a device's name need not be UTF-8.
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace aliquot
