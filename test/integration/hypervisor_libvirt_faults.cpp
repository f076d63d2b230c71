// Faults that only real nodes have: they stop answering, die and come back; another program touches the
// VMs; the manager is restarted.
#include <chrono>
#include <filesystem>
#include <future>
#include <thread>

#include "manager/hypervisor/vm_identity.hpp"
#include "test/integration/hypervisor_libvirt_nodes.hpp"

namespace aliquot {
namespace {

constexpr char kPid[] = "$(cat /run/libvirt/libvirtd.pid)";

class LibvirtFaults : public HypervisorContract {
 protected:
  LocalNodes& nodes() { return LocalNodes::instance(); }
  LibvirtHypervisor& libvirt() { return dynamic_cast<LibvirtHypervisor&>(*hypervisor_); }

  // A signal to the libvirtd of node I (from 1).
  int signal(int node, const std::string& which) {
    return nodes().execute(node, "sh -c 'kill -" + which + " " + kPid + "'");
  }
  std::string domain() const {
    return vm_name({nodes_cluster(), spec_->job, 0, spec_->tasks[0].incarnation, 0});
  }
  static std::string nodes_cluster() { return LocalNodes::instance().setup().cluster; }

  bool node_becomes(std::uint32_t node, NodeState state, Duration patience) {
    return passes_until(
        [&] {
          const auto changes =
              log_.all<NodeChanged>([&](const NodeChanged& one) { return one.node.raw == node; });
          return !changes.empty() && changes.back().state == state;
        },
        patience);
  }
  void forget_foreign_moves() { log_.clear(); }
};

TEST_P(LibvirtFaults, a_stopped_libvirtd_delays_nobody_else) {
  run(backend_->endless(), {100'000});  // on node 1
  const auto first = spec_;
  submit(backend_->endless());
  place(1);
  ASSERT_EQ(act(Create{next(), NodeId{1}, {100'000}}), kDone);
  const auto second = spec_;
  ASSERT_EQ(signal(2, "STOP"), 0);

  const Action stuck = Cap{next(), {50'000}};
  start_only(stuck);
  spec_ = first;
  for (int i = 0; i < 10; ++i) {
    const auto outcome = outcomes(Cap{next(), Yield{50'000 + i}});
    ASSERT_EQ(outcome.size(), 1U);
    EXPECT_FALSE(outcome[0].error);
    EXPECT_LT(outcome[0].took, seconds(1));
  }
  EXPECT_TRUE(node_becomes(1, NodeState::suspect, seconds(15)));
  const auto late = wait_for_outcomes(stuck);
  ASSERT_EQ(late.size(), 1U);
  ASSERT_TRUE(late[0].error);
  EXPECT_EQ(late[0].error->kind, ErrorKind::timeout) << late[0].error->message;
  EXPECT_LT(late[0].took, seconds(12));

  spec_ = second;
  const auto refused = outcomes(Suspend{next()});
  ASSERT_TRUE(refused.at(0).error);
  EXPECT_EQ(refused.at(0).error->kind, ErrorKind::unavailable) << "never begun, so not unclear";
  EXPECT_EQ(look().fact, VmFact::unknown);

  ASSERT_EQ(signal(2, "CONT"), 0);
  EXPECT_TRUE(node_becomes(1, NodeState::up, seconds(40)));
  EXPECT_EQ(look().fact, VmFact::paused);
  EXPECT_EQ(act(Release{next()}), kDone);
  EXPECT_EQ(act(Destroy{next(), NodeId{1}}), kDone);
  spec_ = first;
}

TEST_P(LibvirtFaults, vms_outlive_their_libvirtd) {
  run(backend_->endless(), {200'000});
  log_.clear();
  ASSERT_EQ(signal(1, "KILL"), 0);
  EXPECT_TRUE(node_becomes(0, NodeState::suspect, seconds(10)));
  EXPECT_TRUE(node_becomes(0, NodeState::up, seconds(40)));
  EXPECT_EQ(look().fact, VmFact::running);
  EXPECT_EQ(act(Cap{next(), {300'000}}), kDone);
  EXPECT_GT(progress_in(seconds(1)), 0);
  EXPECT_EQ(act(Migrate{next(), NodeId{0}, NodeId{1}}), kDone) << "also to be moved";
  place(1);
}

TEST_P(LibvirtFaults, an_end_while_nobody_looked_is_found_by_inspection) {
  run(backend_->ending(seconds(2)));
  hypervisor_.reset();
  log_.clear();
  const auto gone = [&] { return nodes().virsh(1, "domstate " + domain()) != 0; };
  for (int i = 0; i < 60 && !gone(); ++i) backend_->let_pass({500'000});
  ASSERT_TRUE(gone()) << "it does not end";
  hypervisor_ = backend_->start(log_.sink());
  ASSERT_TRUE(node_becomes(0, NodeState::up, seconds(10)));
  ASSERT_TRUE(node_becomes(1, NodeState::up, seconds(10)));
  const auto ended = [&] { return look().fact == VmFact::ended; };
  EXPECT_TRUE(passes_until(ended, seconds(30)));
  EXPECT_EQ(look().exit_code, 0);
}

TEST_P(LibvirtFaults, a_restarted_manager_takes_up_what_runs) {
  run(backend_->ending(seconds(4)), {500'000});
  hypervisor_.reset();
  log_.clear();
  hypervisor_ = backend_->start(log_.sink());
  ASSERT_TRUE(node_becomes(0, NodeState::up, seconds(10)));
  const auto standing = libvirt().list_domains({0}, seconds(10));
  ASSERT_TRUE(standing) << standing.error().message;
  ASSERT_EQ(standing->size(), 1U);
  EXPECT_EQ((*standing)[0].identity.job, spec_->job);
  EXPECT_EQ((*standing)[0].fact, VmFact::running);
  EXPECT_EQ(look().fact, VmFact::running);
  ASSERT_TRUE(passes_until([&] { return !log_.all<TaskEnded>().empty(); }, seconds(90)));
  EXPECT_EQ(log_.all<TaskEnded>()[0].exit_code, 0);
}

// The decision that gives a job more was taken while its neighbour, or it itself, was ending.
TEST_P(LibvirtFaults, a_cap_that_comes_after_the_end_is_done_already) {
  run(backend_->ending(seconds(1)), {500'000});
  ASSERT_TRUE(passes_until([&] { return !log_.all<TaskEnded>().empty(); }, seconds(60)));
  EXPECT_EQ(act(Cap{next(), {800'000}}), kDone);
  EXPECT_EQ(look().fact, VmFact::ended);
}

TEST_P(LibvirtFaults, what_others_do_to_a_vm_is_told) {
  run(backend_->endless(), {200'000});
  ASSERT_EQ(nodes().virsh(1, "suspend " + domain()), 0);
  EXPECT_TRUE(passes_until([&] { return log_.all<ForeignMove>().size() == 1; }, seconds(10)));
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_EQ(nodes().virsh(1, "destroy " + domain()), 0);
  EXPECT_TRUE(passes_until([&] { return log_.all<ForeignMove>().size() == 2; }, seconds(10)));
  ASSERT_TRUE(passes_until([&] { return log_.all<TaskEnded>().size() == 1; }, seconds(10)));
  EXPECT_FALSE(log_.all<TaskEnded>()[0].exit_code);
  EXPECT_NE(log_.all<TaskEnded>()[0].note, "");
  EXPECT_NE(act(Cap{next(), {300'000}}), kDone) << "it did not end: it is to be inspected";
  EXPECT_EQ(look().fact, VmFact::absent);
  forget_foreign_moves();
}

TEST_P(LibvirtFaults, a_vm_whose_qemu_is_killed_has_failed) {
  run(backend_->endless(), {200'000});
  ASSERT_EQ(nodes().execute(1, "sh -c 'kill -KILL $(cat /run/libvirt/qemu/" + domain() + ".pid)'"), 0);
  ASSERT_TRUE(passes_until([&] { return log_.all<TaskEnded>().size() == 1; }, seconds(10)));
  EXPECT_FALSE(log_.all<TaskEnded>()[0].exit_code);
}

TEST_P(LibvirtFaults, nothing_is_heard_after_the_end) {
  run(backend_->endless(), {200'000});
  start_only(Migrate{next(), NodeId{0}, NodeId{1}});
  hypervisor_.reset();
  const std::size_t before = log_.all<Outcome>().size();
  backend_->let_pass(seconds(3));
  EXPECT_EQ(log_.all<Outcome>().size(), before);
  hypervisor_ = backend_->start(log_.sink());
  ASSERT_TRUE(node_becomes(0, NodeState::up, seconds(10)));
  ASSERT_TRUE(node_becomes(1, NodeState::up, seconds(10)));
  const auto stands = [&] { return look().fact == VmFact::running; };
  EXPECT_TRUE(passes_until(stands, seconds(20))) << "the nodes finish the migration between them";
  place(look().node.raw);
}

// A copy that is cut off after QEMU has written all leaves the VM as QEMU leaves one that has moved away.
// Here another program has QEMU write all of it.
TEST_P(LibvirtFaults, a_vm_is_saved_after_a_copy_that_was_cut_off_at_its_end) {
  run(backend_->endless(), {200'000});
  ASSERT_EQ(act(Suspend{next()}), kDone);
  const std::string socket = nodes().spool() + "/reader.sock";
  const std::string read_all =
      "import socket; s = socket.socket(socket.AF_UNIX); s.bind(\"" + socket +
      "\"); s.listen(); s.settimeout(60); c = s.accept()[0]\nwhile c.recv(1 << 20): pass";
  auto reader = std::async([&] { return nodes().execute(1, "python3 -c '" + read_all + "'"); });
  ASSERT_TRUE(passes_until([&] { return std::filesystem::exists(socket); }, seconds(30)));
  const std::string write_all = " --hmp \"migrate unix:" + socket + "\"";
  ASSERT_EQ(nodes().virsh(1, "qemu-monitor-command " + domain() + write_all), 0);
  EXPECT_EQ(reader.get(), 0);

  ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
  ASSERT_EQ(act(Restore{next(), NodeId{1}, {300'000}}), kDone);
  place(1);
  ASSERT_EQ(act(Release{next()}), kDone);
  EXPECT_GT(progress_in(seconds(1)), 0);
}

INSTANTIATE_TEST_SUITE_P(Libvirt, LibvirtFaults, testing::Values(BackendFactory(make_libvirt_backend)));

}  // namespace
}  // namespace aliquot
