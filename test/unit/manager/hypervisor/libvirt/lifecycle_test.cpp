#include "manager/hypervisor/libvirt/lifecycle.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

constexpr NodeId kA{0};
constexpr NodeId kB{1};

class Lifecycle : public testing::Test {
 protected:
  ActionHead next() { return {{++op_}, {1}, {0, 1}}; }
  void done(const Action& action) {
    note_begin(vm_, action);
    note_end(vm_, action, true, false);
  }
  void fails(const Action& action, bool unclear = false) { note_end(vm_, action, false, unclear); }
  void run_on_a() {
    done(Create{next(), kA, kFullYield});
    done(Release{next()});
  }
  bool own(NodeId node, NodeEvent event) {
    const EventMeaning meaning = interpret(vm_, node, event);
    return !meaning.ended && meaning.foreign.empty();
  }
  bool ended(NodeId node, NodeEvent event) { return interpret(vm_, node, event).ended; }
  bool foreign(NodeId node, NodeEvent event) { return !interpret(vm_, node, event).foreign.empty(); }

  VmExpectation vm_;

 private:
  std::uint64_t op_ = 0;
};

TEST_F(Lifecycle, a_life_as_we_wish_it_is_no_news) {
  const Action create = Create{next(), kA, kFullYield};
  note_begin(vm_, create);
  EXPECT_TRUE(own(kA, NodeEvent::started));
  EXPECT_TRUE(own(kA, NodeEvent::paused));
  note_end(vm_, create, true, false);
  EXPECT_TRUE(own(kA, NodeEvent::started)) << "heard after the call returned";
  done(Release{next()});
  EXPECT_TRUE(own(kA, NodeEvent::resumed));
  done(Suspend{next()});
  EXPECT_TRUE(own(kA, NodeEvent::paused));
}

TEST_F(Lifecycle, a_checkpoint_is_no_news_and_does_not_hide_the_end) {
  run_on_a();
  const Action checkpoint = Checkpoint{next(), 1};
  note_begin(vm_, checkpoint);
  EXPECT_TRUE(own(kA, NodeEvent::paused));
  EXPECT_TRUE(own(kA, NodeEvent::resumed));
  note_end(vm_, checkpoint, true, false);
  EXPECT_TRUE(own(kA, NodeEvent::resumed)) << "heard after the call returned";
  EXPECT_TRUE(ended(kA, NodeEvent::powered_off));
}

TEST_F(Lifecycle, what_was_destroyed_and_restored_elsewhere_is_watched_again) {
  run_on_a();
  done(Destroy{next(), kA});
  EXPECT_TRUE(own(kA, NodeEvent::destroyed));
  done(Restore{next(), kB, kFullYield, 1});
  done(Release{next()});
  EXPECT_TRUE(own(kA, NodeEvent::destroyed)) << "a late word about the one before";
  EXPECT_TRUE(ended(kB, NodeEvent::powered_off));
}

TEST_F(Lifecycle, a_power_off_is_the_end_whenever_it_comes) {
  run_on_a();
  EXPECT_TRUE(ended(kA, NodeEvent::powered_off));
  run_on_a();
  note_begin(vm_, Migrate{next(), kA, kB});
  EXPECT_TRUE(ended(kA, NodeEvent::powered_off)) << "in the middle of a migration";
}

TEST_F(Lifecycle, a_save_of_ours_is_no_end_before_or_after_its_call_returns) {
  run_on_a();
  const Action save = Save{next(), kA};
  note_begin(vm_, save);
  EXPECT_TRUE(own(kA, NodeEvent::paused));
  EXPECT_TRUE(own(kA, NodeEvent::saved_away));
  note_end(vm_, save, true, false);
  EXPECT_TRUE(own(kA, NodeEvent::saved_away));
  done(Restore{next(), kA, kFullYield});
  EXPECT_EQ(interpret(vm_, kA, NodeEvent::saved_away).proof, Proof::is_gone) << "an echo, or not us";
}

TEST_F(Lifecycle, a_migration_of_ours_is_no_end) {
  run_on_a();
  const Action migrate = Migrate{next(), kA, kB};
  note_begin(vm_, migrate);
  EXPECT_TRUE(own(kB, NodeEvent::migrated_here));
  note_end(vm_, migrate, true, false);
  EXPECT_TRUE(own(kA, NodeEvent::migrated_away)) << "late";
  EXPECT_TRUE(own(kB, NodeEvent::migrated_here)) << "late";
  EXPECT_TRUE(ended(kB, NodeEvent::failed)) << "it stands there now";
}

TEST_F(Lifecycle, what_a_failed_migration_leaves_at_its_target_is_no_end) {
  run_on_a();
  const Action migrate = Migrate{next(), kA, kB};
  note_begin(vm_, migrate);
  EXPECT_TRUE(own(kB, NodeEvent::failed));
  fails(migrate);
  EXPECT_TRUE(own(kB, NodeEvent::failed)) << "late";
  EXPECT_TRUE(ended(kA, NodeEvent::failed)) << "there it stood";
}

// The source's libvirtd has died: that of the target destroys what it has received.
TEST_F(Lifecycle, what_an_unclear_migration_leaves_at_its_target_is_no_end) {
  run_on_a();
  const Action move = Migrate{next(), kA, kB};
  note_begin(vm_, move);
  fails(move, true);
  EXPECT_TRUE(own(kB, NodeEvent::destroyed)) << "it may still run where it was";
  EXPECT_TRUE(own(kB, NodeEvent::failed));
  note_found(vm_, kB, VmFact::running);
  EXPECT_TRUE(ended(kB, NodeEvent::destroyed)) << "it has arrived, and is destroyed there";
}

TEST_F(Lifecycle, what_is_left_of_a_vm_that_ended_during_its_migration_is_no_news) {
  run_on_a();
  const Action move = Migrate{next(), kA, kB};
  note_begin(vm_, move);
  EXPECT_TRUE(ended(kA, NodeEvent::powered_off));
  fails(move, true);
  EXPECT_TRUE(own(kB, NodeEvent::destroyed));
  EXPECT_TRUE(own(kA, NodeEvent::failed));
}

// The manager that had begun the migration has died.
TEST_F(Lifecycle, what_is_destroyed_elsewhere_than_where_it_was_found_is_no_end) {
  note_found(vm_, kA, VmFact::running);
  EXPECT_TRUE(own(kB, NodeEvent::destroyed));
  EXPECT_TRUE(own(kB, NodeEvent::failed));
  EXPECT_TRUE(ended(kA, NodeEvent::destroyed));
}

TEST_F(Lifecycle, an_unclear_save_may_still_happen) {
  run_on_a();
  const Action save = Save{next(), kA};
  note_begin(vm_, save);
  fails(save, true);
  EXPECT_TRUE(ended(kA, NodeEvent::failed)) << "but a failure is a failure";
  EXPECT_TRUE(own(kA, NodeEvent::saved_away));
}

TEST_F(Lifecycle, a_failed_start_is_told_by_its_outcome) {
  const Action restore = Restore{next(), kB, kFullYield};
  note_begin(vm_, restore);
  EXPECT_TRUE(own(kB, NodeEvent::failed));
  fails(restore);
  EXPECT_TRUE(own(kB, NodeEvent::failed));
}

TEST_F(Lifecycle, what_another_backend_sends_here_is_no_news) {
  run_on_a();
  done(Migrate{next(), kA, kB});
  note_announced(vm_, kA);
  EXPECT_TRUE(own(kA, NodeEvent::migrated_here));
  EXPECT_TRUE(own(kA, NodeEvent::paused)) << "it has not run before it is whole";
  EXPECT_TRUE(own(kA, NodeEvent::resumed));
  note_found(vm_, kA, VmFact::running);
  EXPECT_TRUE(own(kA, NodeEvent::migrated_here)) << "late";
  EXPECT_TRUE(foreign(kA, NodeEvent::paused)) << "it is watched as any other";
  EXPECT_TRUE(ended(kA, NodeEvent::failed));
}

TEST_F(Lifecycle, what_we_destroy_is_no_news) {
  run_on_a();
  note_begin(vm_, Destroy{next(), kA});
  for (const NodeEvent event : {NodeEvent::destroyed, NodeEvent::powered_off, NodeEvent::failed,
                                NodeEvent::paused, NodeEvent::saved_away}) {
    EXPECT_TRUE(own(kA, event));
  }
}

TEST_F(Lifecycle, what_others_do_is_told) {
  run_on_a();
  EXPECT_TRUE(foreign(kA, NodeEvent::paused));
  EXPECT_TRUE(foreign(kB, NodeEvent::migrated_here));
  EXPECT_TRUE(foreign(kA, NodeEvent::migrated_away));
  run_on_a();
  EXPECT_TRUE(foreign(kA, NodeEvent::saved_away));
  run_on_a();
  EXPECT_TRUE(foreign(kA, NodeEvent::stopped_by_io_error));
  done(Suspend{next()});
  EXPECT_TRUE(foreign(kA, NodeEvent::resumed));
  const EventMeaning destroyed = interpret(vm_, kA, NodeEvent::destroyed);
  EXPECT_TRUE(destroyed.ended);
  EXPECT_FALSE(destroyed.foreign.empty());
}

// The pause of a creation may be heard when the release that followed is under way, or done.
TEST_F(Lifecycle, an_echo_of_ours_is_not_told_unless_the_node_proves_it) {
  done(Create{next(), kA, kFullYield});
  const Action release = Release{next()};
  note_begin(vm_, release);
  EXPECT_TRUE(own(kA, NodeEvent::paused));
  note_end(vm_, release, true, false);
  const EventMeaning late = interpret(vm_, kA, NodeEvent::paused);
  EXPECT_EQ(late.proof, Proof::is_paused);
  EXPECT_FALSE(proves(VmFact::running, late.proof));
  EXPECT_TRUE(proves(VmFact::paused, late.proof));
  const Action restore = Restore{next(), kA, kFullYield};
  note_begin(vm_, restore);
  EXPECT_TRUE(own(kA, NodeEvent::saved_away));
}

TEST_F(Lifecycle, of_a_vm_found_after_a_restart_is_judged_by_what_was_found) {
  note_found(vm_, kA, VmFact::running);
  EXPECT_TRUE(foreign(kA, NodeEvent::paused));
  note_found(vm_, kA, VmFact::paused);
  EXPECT_TRUE(foreign(kA, NodeEvent::resumed));
  EXPECT_TRUE(ended(kA, NodeEvent::crashed));
}

TEST_F(Lifecycle, of_a_vm_of_which_nothing_is_known_makes_no_noise) {
  EXPECT_TRUE(own(kA, NodeEvent::paused));
  EXPECT_TRUE(own(kA, NodeEvent::resumed));
  EXPECT_TRUE(ended(kA, NodeEvent::powered_off));
}

}  // namespace
}  // namespace aliquot
