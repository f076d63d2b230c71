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

}  // namespace

Result<std::vector<DomainReading>> cpu_readings(const Connection& connection, ThrottleReader& throttling,
                                                std::optional<Uuid> only) {
  virDomainStatsRecordPtr* list = nullptr;
  int count = 0;
  // Does not wait for a domain that is being saved or migrated; libvirt reports its vCPU times
  // nevertheless.
  constexpr unsigned kNoWait = VIR_CONNECT_GET_ALL_DOMAINS_STATS_NOWAIT;
  if (only) {
    const auto domain = find_domain(connection, *only);
    if (!domain) return tl::unexpected(domain.error());
    virDomainPtr domains[] = {domain->get(), nullptr};
    count = virDomainListGetStats(domains, VIR_DOMAIN_STATS_VCPU, &list, kNoWait);
  } else {
    count = virConnectGetAllDomainStats(connection.get(), VIR_DOMAIN_STATS_VCPU, &list,
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
    out.push_back(reading);
  }
  return out;
}

}  // namespace aliquot
