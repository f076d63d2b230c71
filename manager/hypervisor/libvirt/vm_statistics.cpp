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

// As libvirt has them of a domain; none: it has no CPU time of it.
std::optional<VcpuCounters> counters_of(const virDomainStatsRecord& record) {
  VcpuCounters counters;
  virTypedParamsGetUInt(record.params, record.nparams, "vcpu.maximum", &counters.vcpus);
  const auto cpu = sum_of_vcpus(record, counters.vcpus, "time");
  if (!cpu) return std::nullopt;
  counters.cpu = *cpu;
  counters.waited = sum_of_vcpus(record, counters.vcpus, "delay");
  return counters;
}

// What libvirt tells of domains with one call.
class Records {
 public:
  // `what`: groups of VIR_DOMAIN_STATS. Of all running and paused domains, or of the domain `only`.
  static Result<Records> read(const Connection& connection, unsigned what, std::optional<Uuid> only) {
    // Does not wait for a domain that is being saved or migrated; libvirt reports its vCPU times
    // nevertheless, and nothing of its guest's memory.
    constexpr unsigned kNoWait = VIR_CONNECT_GET_ALL_DOMAINS_STATS_NOWAIT;
    virDomainStatsRecordPtr* list = nullptr;
    int count = 0;
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
    return Records(list, static_cast<std::size_t>(count));
  }

  [[nodiscard]] virDomainStatsRecordPtr* begin() const { return list_.get(); }
  [[nodiscard]] virDomainStatsRecordPtr* end() const { return list_.get() + count_; }

 private:
  Records(virDomainStatsRecordPtr* list, std::size_t count) : list_(list), count_(count) {}
  std::unique_ptr<virDomainStatsRecordPtr, RecordsRelease> list_;
  std::size_t count_;
};

// The counters of the domains of which none are known.
void fill_in(std::vector<DomainReading>& readings, const Records& records) {
  for (const virDomainStatsRecord* record : records)
    for (DomainReading& each : readings) {
      Uuid uuid{};
      if (each.counters.vcpus != 0 || virDomainGetUUID(record->dom, uuid.data()) < 0 || uuid != each.uuid)
        continue;
      each.counters = counters_of(*record).value_or(VcpuCounters{});
    }
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

Result<std::vector<DomainReading>> vm_readings(NodeId node, const Connection& connection, VcpuReader& vcpus,
                                               AskGuests guests, std::optional<Uuid> only) {
  // The group `state` costs nothing, and tells which domains run.
  unsigned what = connection.is_local() ? VIR_DOMAIN_STATS_STATE : VIR_DOMAIN_STATS_VCPU;
  if (guests == AskGuests::yes) what |= VIR_DOMAIN_STATS_BALLOON;
  const auto records = Records::read(connection, what, only);
  if (!records) return tl::unexpected(records.error());
  std::vector<DomainReading> out;
  bool ask_libvirt = false;
  for (const virDomainStatsRecord* record : *records) {
    DomainReading reading;
    if (virDomainGetUUID(record->dom, reading.uuid.data()) < 0) continue;
    reading.domain_id = static_cast<int>(virDomainGetID(record->dom));
    reading.memory = guest_memory_of(balloon(*record, "current"), balloon(*record, "usable"),
                                     balloon(*record, "last-update"));
    const auto counters =
        connection.is_local() ? vcpus.read(node, reading.uuid, reading.domain_id) : counters_of(*record);
    if (counters) reading.counters = *counters;
    ask_libvirt = ask_libvirt || (connection.is_local() && !counters);
    out.push_back(reading);
  }
  if (ask_libvirt)
    if (const auto asked = Records::read(connection, VIR_DOMAIN_STATS_VCPU, only)) fill_in(out, *asked);
  std::erase_if(out, [](const DomainReading& each) { return each.counters.vcpus == 0; });
  return out;
}

}  // namespace aliquot
