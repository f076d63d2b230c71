#include "manager/ha/configured.hpp"

#include <utility>

namespace aliquot {
namespace {

std::string address_of(const Settings& settings) {
  if (!settings.ha.address.empty()) return settings.ha.address;
  return settings.api.remote.empty() ? settings.api.socket : settings.api.remote;
}

}  // namespace

ha::EtcdSettings etcd_settings(const HaSettings& settings) {
  return {.endpoints = settings.endpoints, .ca = settings.ca, .cert = settings.cert, .key = settings.key};
}

ha::LeaderLease::Parts leadership_parts(const Settings& settings,
                                        std::shared_ptr<const ha::BusyEndpoint> busy) {
  ha::EtcdSettings etcd = etcd_settings(settings.ha);
  etcd.busy = std::move(busy);
  return {.etcd = ha::etcd_at(std::move(etcd)),
          .keys = ha::Keys(settings.ha.prefix),
          .self = {settings.ha.name, address_of(settings)},
          .ttl = settings.ha.lease_ttl};
}

}  // namespace aliquot
