// What a real hypervisor is measured at: what actions take. How exactly it keeps a cap is measured through
// the manager (manager/cap_accuracy_test.py).
#include <algorithm>
#include <cstdio>
#include <map>

#include "test/integration/hypervisor_libvirt_nodes.hpp"

namespace aliquot {
namespace {

class LibvirtFigures : public HypervisorContract {};

// What actions take through the port, as a table; the only law is that they end well and in bounded time.
TEST_P(LibvirtFigures, the_time_of_each_action_is_told) {
  std::map<std::string, std::vector<double>> took;
  const auto time = [&](const Action& action) {
    for (const Outcome& one : outcomes(action)) {
      EXPECT_FALSE(one.error) << one.error->message;
      took[std::string(word(action))].push_back(to_seconds(one.took));
    }
  };
  for (int round = 0; round < 2; ++round) {
    submit(backend_->endless());
    time(Create{next(), NodeId{0}, {300'000}});
    time(Release{next()});
    backend_->let_pass({500'000});
    time(Cap{next(), {250'000}});
    time(Suspend{next()});
    time(Release{next()});
    time(Save{next(), NodeId{0}});
    time(Restore{next(), NodeId{0}, {300'000}});
    time(Release{next()});
    time(Migrate{next(), NodeId{0}, NodeId{1}});
    place(1);
    time(Destroy{next(), NodeId{1}});
  }
  for (auto& [name, seconds_taken] : took) {
    std::sort(seconds_taken.begin(), seconds_taken.end());
    std::printf("%-8s %.3f to %.3f s\n", name.c_str(), seconds_taken.front(), seconds_taken.back());
    EXPECT_LT(seconds_taken.back(), 60);
  }
}

INSTANTIATE_TEST_SUITE_P(Libvirt, LibvirtFigures, testing::Values(BackendFactory(make_libvirt_backend)));

}  // namespace
}  // namespace aliquot
