// How many guarded transactions of one client an etcd takes in a second, one after another, of the size of
// what the leader ships for a submission: what tools/bench/durable_submissions.py cannot be above. Asks the
// member that leads etcd, then one that does not.
//
//   etcd_floor URL,URL,URL [COUNT [BYTES]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "manager/ha/etcd_client.hpp"
#include "manager/ha/keys.hpp"

namespace {

using namespace aliquot;
using namespace aliquot::ha;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream text(list);
  for (std::string part; std::getline(text, part, ',');) parts.push_back(part);
  return parts;
}

// In a second; none: a transaction failed, and it has said why.
std::optional<double> rate(const std::string& endpoint, const std::string& prefix, long count, long bytes) {
  EtcdClient etcd({.endpoints = {endpoint}});
  const Keys keys(prefix);
  const auto say = [](const std::string& why) {
    std::fprintf(stderr, "etcd_floor: %s\n", why.c_str());
    return std::nullopt;
  };
  const auto leader = etcd.transact({{{keys.leader(), 0}}, {Put{keys.leader(), "floor"}}});
  if (!leader) return say(leader.error().message);
  if (!leader->succeeded) return say("there is a key " + keys.leader());
  const std::string value(static_cast<std::size_t>(bytes), '\xa5');
  const auto begun = std::chrono::steady_clock::now();
  for (long k = 1; k <= count; ++k) {
    const std::string key = keys.batch(static_cast<std::uint64_t>(k));
    const auto done = etcd.transact(
        {{{keys.leader(), leader->revision}, {key, 0}}, {Put{key, value}}, {Get{keys.leader()}, Get{key}}});
    if (!done) return say(done.error().message);
    if (!done->succeeded) return say("a transaction was not made");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  return static_cast<double>(count) / took.count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fputs("usage: etcd_floor URL,URL,URL [COUNT [BYTES]]\n", stderr);
    return 2;
  }
  const auto endpoints = split(argv[1]);
  const long count = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 1000;
  const long bytes = argc > 3 ? std::strtol(argv[3], nullptr, 10) : 2000;
  const auto statuses = EtcdClient({.endpoints = endpoints}).statuses();
  const std::string stamp = std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  for (const bool leads : {true, false})
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
      if (!statuses[i] || statuses[i]->leads != leads) continue;
      const auto made = rate(endpoints[i], "/floor" + stamp + (leads ? "a" : "b"), count, bytes);
      if (!made) return 1;
      std::printf("%s %.0f\n", leads ? "leads" : "follows", *made);
      break;
    }
  return 0;
}
