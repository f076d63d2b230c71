#include "manager/hypervisor/libvirt/numa.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "manager/hypervisor/libvirt/xml_element.hpp"

namespace aliquot {
namespace {

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }
const xmlChar* xml(const std::string& text) { return xml(text.c_str()); }

xmlNode* child_of(xmlNode* parent, const char* name) {
  for (xmlNode* at = parent->children; at != nullptr; at = at->next)
    if (at->type == XML_ELEMENT_NODE && xmlStrEqual(at->name, xml(name)) == 1) return at;
  return nullptr;
}

void remove_element(xmlNode* element) {
  xmlUnlinkNode(element);
  xmlFreeNode(element);
}

void bind_memory(xmlNode* domain, const NumaCell& cell) {
  xmlNode* tune = xmlNewChild(domain, nullptr, xml("numatune"), nullptr);
  xmlNode* memory = xmlNewChild(tune, nullptr, xml("memory"), nullptr);
  xmlNewProp(memory, xml("mode"), xml("preferred"));
  xmlNewProp(memory, xml("nodeset"), xml(std::to_string(cell.id)));
}

std::string text_of(const XmlDocument& document) {
  xmlChar* bytes = nullptr;
  int size = 0;
  xmlDocDumpMemory(document.get(), &bytes, &size);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  xmlFree(bytes);
  return text;
}

// A text that libvirt has allocated.
std::string taken(char* text) {
  std::string copy(text == nullptr ? "" : text);
  free(text);
  return copy;
}

// The cell to which the memory of a domain is bound; none: to no single one.
std::optional<std::uint32_t> cell_of(virDomain* domain) {
  int count = 0;
  if (virDomainGetNumaParameters(domain, nullptr, &count, VIR_DOMAIN_AFFECT_LIVE) < 0 || count <= 0)
    return std::nullopt;
  std::vector<virTypedParameter> found(static_cast<std::size_t>(count));
  if (virDomainGetNumaParameters(domain, found.data(), &count, VIR_DOMAIN_AFFECT_LIVE) < 0)
    return std::nullopt;
  const char* nodes = nullptr;
  std::optional<std::uint32_t> cell;
  if (virTypedParamsGetString(found.data(), count, VIR_DOMAIN_NUMA_NODESET, &nodes) == 1 &&
      nodes != nullptr && *nodes != '\0')
    cell = XmlElement::number_in(nodes);
  virTypedParamsClear(found.data(), count);
  return cell;
}

void add(CellLoad& sum, const CellLoad& load) {
  sum.vms += load.vms;
  sum.vcpus += load.vcpus;
  sum.memory += load.memory;
}

}  // namespace

NumaBinding numa_binding(std::string_view word) {
  if (word == "off") return NumaBinding::off;
  return word == "cells" ? NumaBinding::cells : NumaBinding::memory;
}

std::vector<NumaCell> parse_cells(const std::string& capabilities) {
  const XmlDocument document = parse_xml(capabilities);
  const XmlElement cells = XmlElement::root_of(document).child("host").child("topology").child("cells");
  std::vector<NumaCell> all;
  for (const XmlElement& each : cells.children()) {
    const auto id = XmlElement::number_in(each.attribute("id"));
    if (!each.is("cell") || !id) continue;
    std::vector<std::uint32_t> cpus;
    for (const XmlElement& cpu : each.child("cpus").children())
      if (const auto number = XmlElement::number_in(cpu.attribute("id"))) cpus.push_back(*number);
    const auto count = static_cast<std::uint32_t>(cpus.size());
    const std::int64_t kib = std::strtoll(each.child("memory").text().c_str(), nullptr, 10);
    all.push_back({*id, cpu_list(std::move(cpus)), count, Memory{kib * 1024}});
  }
  std::ranges::sort(all, {}, &NumaCell::id);
  return all;
}

Result<std::vector<NumaCell>> read_cells(const Connection& node) {
  const std::string capabilities = taken(virConnectGetCapabilities(node.get()));
  if (capabilities.empty()) return tl::unexpected(libvirt_error(node, "cannot tell its NUMA cells"));
  return parse_cells(capabilities);
}

Result<CellLoads> read_loads(const Connection& node) {
  virDomainPtr* list = nullptr;
  const int count = virConnectListAllDomains(node.get(), &list, VIR_CONNECT_LIST_DOMAINS_ACTIVE);
  if (count < 0) return tl::unexpected(libvirt_error(node, "cannot list its VMs"));
  std::vector<DomainHandle> domains(list, list + count);
  free(list);
  CellLoads loads;
  for (const DomainHandle& domain : domains) {
    virDomainInfo info{};
    const auto cell = cell_of(domain.get());
    if (!cell || virDomainGetInfo(domain.get(), &info) < 0) continue;
    add(loads[*cell], {1, info.nrVirtCpu, Memory{static_cast<std::int64_t>(info.maxMem) * 1024}});
  }
  return loads;
}

bool is_bound(const std::string& domain_xml) { return domain_xml.find("<numatune") != std::string::npos; }

Result<std::string> bound_to(const std::string& domain_xml, const std::optional<NumaCell>& cell,
                             bool vcpus) {
  const XmlDocument document = parse_xml(domain_xml);
  xmlNode* domain = document ? xmlDocGetRootElement(document.get()) : nullptr;
  xmlNode* vcpu = domain != nullptr ? child_of(domain, "vcpu") : nullptr;
  if (vcpu == nullptr)
    return fail(ErrorKind::internal, "libvirt's definition of a VM is not understood: it names no vCPUs");
  xmlUnsetProp(vcpu, xml("cpuset"));
  while (xmlNode* old = child_of(domain, "numatune")) remove_element(old);
  if (cell) {
    bind_memory(domain, *cell);
    if (vcpus) xmlNewProp(vcpu, xml("cpuset"), xml(cell->cpus));
  }
  return text_of(document);
}

std::string saved_definition(const Connection& node, const std::string& image) {
  return taken(virDomainSaveImageGetXMLDesc(node.get(), image.c_str(), VIR_DOMAIN_SAVE_IMAGE_XML_SECURE));
}

std::string movable_definition(const DomainHandle& domain) {
  return taken(virDomainGetXMLDesc(domain.get(), VIR_DOMAIN_XML_SECURE | VIR_DOMAIN_XML_MIGRATABLE));
}

CellChoice::Promise CellChoice::promise(const Connection& node, const Uuid& vm, std::uint32_t vcpus,
                                        Memory memory) {
  if (binding_ == NumaBinding::off) return {};
  const std::lock_guard lock(mutex_);
  if (!cells_) {
    auto read = read_cells(node);
    if (!read) return {};
    cells_ = std::move(*read);
  }
  if (cells_->size() < 2) return {};
  auto loads = read_loads(node);
  if (!loads) return {};
  for (const auto& [other, coming] : coming_) add((*loads)[coming.cell], coming.load);
  const auto cell = cell_for(*cells_, *loads, vcpus, memory);
  if (!cell) return {};
  coming_[vm] = {cell->id, {1, vcpus, memory}};
  return {this, vm, *cell};
}

Result<std::string> CellChoice::apply(std::string domain_xml, const Promise& promise) const {
  if (domain_xml.empty() || (!promise.cell() && !is_bound(domain_xml))) return domain_xml;
  return bound_to(domain_xml, promise.cell(), binding_ == NumaBinding::cells);
}

void CellChoice::end(const Uuid& vm) {
  const std::lock_guard lock(mutex_);
  coming_.erase(vm);
}

}  // namespace aliquot
