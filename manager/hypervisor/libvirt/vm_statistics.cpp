#include "manager/hypervisor/libvirt/vm_statistics.hpp"

#include <string>

namespace aliquot {
namespace {

struct RecordsRelease {
  void operator()(virDomainStatsRecordPtr* records) const { virDomainStatsRecordListFree(records); }
};

// Sum of vcpu.N.<what> over all vCPUs, which libvirt reports in nanoseconds; none if it reports none.
std::optional<Duration> sum_of_vcpus(const virDomainStatsRecord& record, unsigned vcpus, const char* what) {
  std::optional<unsigned long long> sum;
  for (unsigned i = 0; i < vcpus; ++i) {
    unsigned long long value = 0;
    const std::string name = "vcpu." + std::to_string(i) + "." + what;
    if (virTypedParamsGetULLong(record.params, record.nparams, name.c_str(), &value) == 1)
      sum = sum.value_or(0) + value;
  }
  if (!sum) return std::nullopt;
  return Duration{static_cast<std::int64_t>(*sum / 1000)};
}

std::optional<std::uint64_t> balloon(const virDomainStatsRecord& record, const char* what) {
  unsigned long long value = 0;
  const std::string name = std::string("balloon.") + what;
  if (virTypedParamsGetULLong(record.params, record.nparams, name.c_str(), &value) != 1)
    return std::nullopt;
  return value;
}

}  // namespace

// The guest is not trusted. Before its first word, usable is missing or told is 0.
std::optional<GuestMemory> guest_memory_of(std::optional<std::uint64_t> given_kib,
                                           std::optional<std::uint64_t> usable_kib,
                                           std::optional<std::uint64_t> told_s) {
  constexpr std::uint64_t kMostKib = std::uint64_t{1} << 40;
  if (!given_kib || !usable_kib || !told_s || *told_s == 0 || *told_s > INT64_MAX) return std::nullopt;
  if (*given_kib > kMostKib || *usable_kib > *given_kib) return std::nullopt;
  return GuestMemory{Memory{static_cast<std::int64_t>(*given_kib << 10)},
                     Memory{static_cast<std::int64_t>(*usable_kib << 10)},
                     static_cast<std::int64_t>(*told_s)};
}

Result<std::vector<DomainReading>> vm_readings(const Connection& connection, ThrottleReader& throttling,
                                               AskGuests guests, std::optional<Uuid> only) {
  virDomainStatsRecordPtr* list = nullptr;
  int count = 0;
  // Does not wait for a domain that is being saved or migrated; libvirt reports its vCPU times
  // nevertheless, and nothing of its guest's memory.
  unsigned what = VIR_DOMAIN_STATS_VCPU;
  if (guests == AskGuests::yes) what |= VIR_DOMAIN_STATS_BALLOON;
  constexpr unsigned kNoWait = VIR_CONNECT_GET_ALL_DOMAINS_STATS_NOWAIT;
  if (only) {
    const auto domain = find_domain(connection, *only);
    if (!domain) return tl::unexpected(domain.error());
    virDomainPtr domains[] = {domain->get(), nullptr};
    count = virDomainListGetStats(domains, what, &list, kNoWait);
  } else {
    count = virConnectGetAllDomainStats(connection.get(), what, &list,
                                        VIR_CONNECT_GET_ALL_DOMAINS_STATS_ACTIVE | kNoWait);
  }
  if (count < 0) return tl::unexpected(libvirt_error(connection, "cannot read the counters of its VMs"));
  const std::unique_ptr<virDomainStatsRecordPtr, RecordsRelease> records(list);
  std::vector<DomainReading> out;
  for (int i = 0; i < count; ++i) {
    const virDomainStatsRecord& record = *list[i];
    DomainReading reading;
    if (virDomainGetUUID(record.dom, reading.uuid.data()) < 0) continue;
    reading.domain_id = static_cast<int>(virDomainGetID(record.dom));
    virTypedParamsGetUInt(record.params, record.nparams, "vcpu.maximum", &reading.vcpus);
    const auto cpu = sum_of_vcpus(record, reading.vcpus, "time");
    if (!cpu) continue;
    reading.cpu = *cpu;
    reading.waited = sum_of_vcpus(record, reading.vcpus, "delay");
    if (connection.is_local()) reading.throttled = throttling.read(reading.uuid);
    reading.memory = guest_memory_of(balloon(record, "current"), balloon(record, "usable"),
                                     balloon(record, "last-update"));
    out.push_back(reading);
  }
  return out;
}

}  // namespace aliquot
