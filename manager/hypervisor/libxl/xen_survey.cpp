#include "manager/hypervisor/libxl/xen_survey.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "config/quantities.hpp"
#include "manager/hypervisor/libxl/device_model.hpp"
#include "manager/hypervisor/libxl/unfinished_domains.hpp"
#include "manager/hypervisor/libxl/xen_domain.hpp"

namespace aliquot {
namespace {

constexpr std::int64_t kPageBytes = 4096;

std::string name_of(const XenLoop& xen, std::uint32_t domain) {
  const std::unique_ptr<char, void (*)(void*)> name(libxl_domid_to_name(xen.context(), domain), &std::free);
  return name ? name.get() : "domain " + std::to_string(domain);
}

// The most that the domain may use: its cap, or all its vCPUs.
Cpu most_cpu(const XenLoop& xen, const XenDomain& domain) {
  const Cpu all = cores(domain.vcpus);
  libxl_domain_sched_params parameters;
  libxl_domain_sched_params_init(&parameters);
  const int code = libxl_domain_sched_params_get(xen.context(), domain.id, &parameters);
  const int percent = code == 0 ? parameters.cap : 0;
  libxl_domain_sched_params_dispose(&parameters);
  return percent <= 0 ? all : std::min(all, Cpu{cores(1).raw * percent / 100});
}

// Each pool has a scheduler and CPUs of its own; VMs are created in the first.
std::string pool_words(const XenLoop& xen) {
  int count = 0;
  libxl_cpupoolinfo* const pools = libxl_list_cpupool(xen.context(), &count);
  std::string words;
  for (int i = 0; pools != nullptr && i < count; ++i)
    words += std::string(words.empty() ? ", pools " : ", ") + pools[i].pool_name + " of " +
             std::to_string(libxl_bitmap_count_set(&pools[i].cpumap)) + " CPUs";
  libxl_cpupoolinfo_list_free(pools, count);
  return words;
}

std::string hypervisor_words(const XenLoop& xen) {
  std::string words = "Xen";
  // Belongs to the context.
  if (const libxl_version_info* version = libxl_get_version_info(xen.context()); version != nullptr)
    words += " " + std::to_string(version->xen_version_major) + "." +
             std::to_string(version->xen_version_minor) + version->xen_version_extra;
  const auto scheduler = static_cast<libxl_scheduler>(libxl_get_scheduler(xen.context()));
  if (const char* name = libxl_scheduler_to_string(scheduler); name != nullptr)
    words += std::string(", scheduler ") + name;
  words += ", guests pv";
  for (const XenGuests guests : {XenGuests::pvh, XenGuests::hvm})
    if (check_guests(xen, guests)) words += " " + std::string(word(guests));
  return words + pool_words(xen);
}

}  // namespace

Result<void> check_guests(const XenLoop& xen, XenGuests guests) {
  if (guests == XenGuests::pv) return {};
  libxl_physinfo machine;
  libxl_physinfo_init(&machine);
  const int code = libxl_get_physinfo(xen.context(), &machine);
  const bool virtualises = machine.cap_hvm, pages = machine.cap_hap;
  libxl_physinfo_dispose(&machine);
  if (code != 0) return tl::unexpected(xen_error(xen, "cannot ask Xen what the machine is", code));
  const std::string lacks = !virtualises ? "hardware virtualisation, or it is switched off"
                            : !pages     ? "nested paging (HAP)"
                                         : "";
  if (guests == XenGuests::pvh && !lacks.empty())
    return fail(ErrorKind::unsupported, "this Xen runs no PVH guests: the processor has no " + lacks +
                                            "; start the agent with --guests pv");
  const std::string no_images = "this node boots no disk images: ";
  if (!lacks.empty()) return fail(ErrorKind::unsupported, no_images + "the processor has no " + lacks);
  if (guests == XenGuests::pvh) return {};
  if (const auto model = device_model(); !model)
    return fail(ErrorKind::unsupported, no_images + model.error().message);
  return {};
}

Result<NodeFacts> read_facts(const XenLoop& xen) {
  libxl_physinfo machine;
  libxl_physinfo_init(&machine);
  const int code = libxl_get_physinfo(xen.context(), &machine);
  NodeFacts facts;
  facts.cores = machine.nr_cpus;
  facts.memory = {static_cast<std::int64_t>(machine.total_pages) * kPageBytes};
  const Memory unused{static_cast<std::int64_t>(machine.free_pages) * kPageBytes};
  libxl_physinfo_dispose(&machine);
  if (code != 0) return tl::unexpected(xen_error(xen, "cannot ask Xen what the machine is", code));
  libxl_dominfo domain0;
  libxl_dominfo_init(&domain0);
  if (libxl_domain_info(xen.context(), &domain0, 0) == 0)
    facts.memory -= Memory{static_cast<std::int64_t>(domain0.current_memkb) << 10};
  libxl_dominfo_dispose(&domain0);
  facts.hypervisor =
      hypervisor_words(xen) + ", " + print_memory({unused.raw >> 20 << 20}) + " of memory free";
  facts.acceleration = "none needed";
  if (const auto able = check_guests(xen, XenGuests::hvm); !able) facts.note = able.error().message;
  facts.devices_unknown = "devices are not passed through under Xen yet";
  return facts;
}

Result<NodeSurvey> survey_domains(const XenLoop& xen, const std::string& cluster) {
  const auto domains = list_domains(xen);
  if (!domains) return tl::unexpected(domains.error());
  NodeSurvey survey;
  std::vector<Uuid> unfinished;  // they tell nothing of themselves, and are no other program's
  for (const VmIdentity& vm : unfinished_domains(xen)) unfinished.push_back(vm_uuid(vm));
  for (const XenDomain& domain : *domains) {
    if (std::ranges::find(unfinished, domain.uuid) != unfinished.end()) continue;
    const Cpu cpu = most_cpu(xen, domain);
    const auto text = read_key(xen, domain.id, kIdentityKey);
    const auto identity = text ? parse_metadata(*text) : fail(ErrorKind::not_found, "");
    const bool is_aliquots = identity && vm_uuid(*identity) == domain.uuid;
    if (!is_aliquots) {
      ++survey.others.count;
      survey.others.memory += domain.memory;
      survey.others.cpu += cpu;
    } else if (identity->cluster != cluster) {
      survey.other_cluster = identity->cluster;
    } else {
      const VmFact fact = domain.has_shut_down ? VmFact::ended
                          : domain.is_paused   ? VmFact::paused
                                               : VmFact::running;
      survey.ours.push_back({*identity, domain.uuid, fact, name_of(xen, domain.id), domain.memory, cpu});
    }
  }
  return survey;
}

}  // namespace aliquot
