// Each step of a move, and every way in which one can fail.
#include "manager/hypervisor/agent/agent_moves.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/support/small_view.hpp"

namespace aliquot::agent {
namespace {

using Key = AgentMoves::Key;
const Key kKey{OpId{7}, 0};
const Error kRefused{ErrorKind::refused, "no room"};
const Error kTimeout{ErrorKind::timeout, "no answer"};

class Moves : public testing::Test {
 protected:
  explicit Moves(std::string to_uri = {})
      : moves_({[this](NodeId node, const Action& action, const std::shared_ptr<const JobSpec>& spec) {
                  said_ += std::string(word(action)) + " on " + std::to_string(node.raw) + "; ";
                  if (const auto* restore = std::get_if<Restore>(&action)) cap_ = restore->yield;
                  if (const auto* cap = std::get_if<Cap>(&action)) cap_ = cap->yield;
                  EXPECT_EQ(spec->tasks[0].node, node);
                  EXPECT_TRUE(spec->moves) << "its image would go to local saves";
                },
                [this](Key, NodeId node, const VmQuery&) {
                  said_ += "look at " + std::to_string(node.raw) + "; ";
                },
                [this](const MoveRecord& record) -> Result<void> {
                  noted_ = record;
                  if (disk_is_full_) return fail(ErrorKind::no_space, "disk full");
                  return {};
                },
                [this](Key key, JobId job, std::optional<Error> error) {
                  EXPECT_EQ(key, kKey);
                  EXPECT_EQ(job, JobId{3});
                  said_ += error ? "failed: " + error->message : "moved";
                  failure_ = std::move(error);
                },
                [this](NodeId node, const VmMove& move, const std::shared_ptr<const JobSpec>& spec) {
                  EXPECT_EQ(move.op, kKey.first);
                  EXPECT_EQ(spec->tasks[0].node, node);
                  to_uri_ = move.to_uri;
                  expected_ += "from " + std::to_string(move.from.raw) + " to " +
                               std::to_string(move.to.raw) + " on " + std::to_string(node.raw) + "; ";
                  EXPECT_EQ(said_, "look at 0; ") << "it is told too late";
                }}) {
    auto spec = std::make_shared<JobSpec>();
    spec->job = {3};
    spec->submission = test::submission(1, 1000, 100);
    spec->tasks.resize(1);
    moves_.begin(Migrate{{OpId{7}, JobId{3}, {0, 1}}, NodeId{0}, NodeId{1}}, spec, {250'000},
                 std::move(to_uri));
  }
  void done(std::optional<Error> error = std::nullopt) { moves_.done(kKey, error); }

  std::optional<MoveRecord> noted_;
  bool disk_is_full_ = false;
  std::string said_, expected_, to_uri_;
  Yield cap_;
  std::optional<Error> failure_;
  AgentMoves moves_;
};

TEST_F(Moves, a_running_vm_is_saved_restored_with_its_cap_and_released) {
  moves_.found(kKey, VmFact::running);
  EXPECT_TRUE(moves_.can_abort(kKey));
  done();
  EXPECT_FALSE(moves_.can_abort(kKey));
  EXPECT_EQ(moves_.node_of(kKey), NodeId{1});
  done();
  done();
  EXPECT_EQ(said_, "look at 0; save on 0; restore on 1; release on 1; moved");
  EXPECT_EQ(expected_, "from 0 to 1 on 0; from 0 to 1 on 1; ");
  EXPECT_EQ(to_uri_, "");
  EXPECT_EQ(cap_, Yield{250'000});
  EXPECT_FALSE(moves_.has(kKey));
}

TEST_F(Moves, a_suspended_vm_stays_suspended) {
  moves_.found(kKey, VmFact::paused);
  done();
  done();
  EXPECT_EQ(said_, "look at 0; save on 0; restore on 1; moved");
}

TEST_F(Moves, a_vm_that_is_there_already_has_been_moved) {
  moves_.found(kKey, VmFact::saved);
  moves_.found(kKey, VmFact::running);
  EXPECT_EQ(said_, "look at 0; look at 1; moved");
}

TEST_F(Moves, a_vm_that_is_on_neither_node_is_not_moved) {
  moves_.found(kKey, VmFact::absent);
  moves_.found(kKey, VmFact::absent);
  EXPECT_EQ(failure_->kind, ErrorKind::conflict);
}

TEST_F(Moves, a_silent_node_is_not_moved_from) {
  moves_.found(kKey, VmFact::unknown);
  EXPECT_EQ(failure_->kind, ErrorKind::unavailable);
}

TEST_F(Moves, a_lost_answer_to_the_look_ends_the_move) {
  done(kTimeout);
  EXPECT_EQ(said_, "look at 0; failed: no answer");
}

TEST_F(Moves, a_vm_that_cannot_be_saved_runs_where_it_was) {
  moves_.found(kKey, VmFact::running);
  done(kRefused);
  EXPECT_EQ(said_, "look at 0; save on 0; failed: no room");
}

TEST_F(Moves, a_vm_that_cannot_be_restored_there_goes_back_and_runs) {
  moves_.found(kKey, VmFact::running);
  done();
  done(kRefused);
  done();
  done();
  EXPECT_EQ(said_, "look at 0; save on 0; restore on 1; restore on 0; release on 0; failed: no room");
  EXPECT_EQ(failure_->kind, ErrorKind::refused) << "it is certain where it is";
}

TEST_F(Moves, what_is_not_certain_is_reported_so_that_it_is_inspected) {
  moves_.found(kKey, VmFact::running);
  done();
  done(kTimeout);
  EXPECT_EQ(failure_->kind, ErrorKind::timeout);
}

TEST_F(Moves, a_vm_that_can_be_restored_nowhere_is_inspected) {
  moves_.found(kKey, VmFact::running);
  done();
  done(kRefused);
  done(kRefused);
  EXPECT_EQ(failure_->kind, ErrorKind::timeout);
}

TEST_F(Moves, a_vm_that_has_moved_and_does_not_run_is_inspected) {
  moves_.found(kKey, VmFact::running);
  done();
  done();
  done(kRefused);
  EXPECT_EQ(failure_->kind, ErrorKind::timeout);
}

TEST_F(Moves, what_is_left_to_do_is_noted_before_the_vm_is_saved) {
  disk_is_full_ = true;
  moves_.found(kKey, VmFact::running);
  EXPECT_EQ(said_, "look at 0; failed: disk full") << "not begun";
  ASSERT_TRUE(noted_);
  said_.clear();
  moves_.resume(*noted_);
  done();
  done();
  EXPECT_EQ(said_, "restore on 1; release on 1; moved");
  EXPECT_EQ(cap_, Yield{250'000});
}

TEST_F(Moves, the_record_of_a_move_is_of_one_incarnation_and_without_an_older_image) {
  const Spool spool(testing::TempDir() + "aliquot-moves-" + std::to_string(::getpid()));
  std::filesystem::create_directories(spool.directory({3}));
  std::ofstream(spool.image({3}, 0)) << "old";
  moves_.found(kKey, VmFact::paused);
  ASSERT_TRUE(write_record(spool, *noted_));
  EXPECT_FALSE(std::filesystem::exists(spool.image({3}, 0)));
  const auto read = read_record(spool, {JobId{3}, 0, 0, {}});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cap, Yield{250'000});
  EXPECT_FALSE(read->was_running);
  EXPECT_EQ(read->action.to[0], NodeId{1});
  EXPECT_FALSE(read_record(spool, {JobId{3}, 0, 1, {}})) << "of another incarnation";
  remove_record(spool, {3}, 0);
  EXPECT_FALSE(read_record(spool, {JobId{3}, 0, 0, {}}));
  std::filesystem::remove_all(spool.root());
}

TEST_F(Moves, a_move_of_a_vm_that_is_to_be_destroyed_is_given_up) {
  moves_.found(kKey, VmFact::running);
  done();
  EXPECT_FALSE(moves_.give_up({3}, 1)) << "another task";
  const auto given_up = moves_.give_up({3}, 0);
  ASSERT_TRUE(given_up);
  EXPECT_EQ(given_up->from, NodeId{0});
  EXPECT_EQ(given_up->to, NodeId{1});
  EXPECT_EQ(failure_->kind, ErrorKind::conflict);
  said_.clear();
  done();
  EXPECT_EQ(said_, "") << "it is not released any more";
}

TEST_F(Moves, an_answer_to_a_move_that_has_ended_is_nothing) {
  done(kTimeout);
  said_.clear();
  done();
  moves_.found(kKey, VmFact::running);
  EXPECT_EQ(said_, "");
}

// The destination has an address for moves.
class DirectMoves : public Moves {
 protected:
  DirectMoves() : Moves("qemu+tls://b/system") {}
};

TEST_F(DirectMoves, a_vm_is_sent_while_it_runs_and_capped_where_it_has_arrived) {
  moves_.found(kKey, VmFact::running);
  EXPECT_TRUE(moves_.can_abort(kKey));
  EXPECT_EQ(moves_.node_of(kKey), NodeId{0});
  done();
  EXPECT_FALSE(moves_.can_abort(kKey));
  EXPECT_EQ(moves_.node_of(kKey), NodeId{1});
  EXPECT_EQ(moves_.looks_at({3}, 0), kKey);
  moves_.found(kKey, VmFact::running);
  EXPECT_EQ(moves_.node_of(kKey), NodeId{1});
  done();
  EXPECT_EQ(said_, "look at 0; migrate on 0; look at 1; cap on 1; moved");
  EXPECT_EQ(expected_, "from 0 to 1 on 0; from 0 to 1 on 1; ");
  EXPECT_EQ(to_uri_, "qemu+tls://b/system");
  EXPECT_EQ(cap_, Yield{250'000});
  EXPECT_FALSE(noted_) << "it is never nothing but an image";
  EXPECT_FALSE(moves_.has(kKey));
}

TEST_F(DirectMoves, a_suspended_vm_stays_suspended) {
  moves_.found(kKey, VmFact::paused);
  done();
  moves_.found(kKey, VmFact::paused);
  done();
  EXPECT_EQ(said_, "look at 0; migrate on 0; look at 1; cap on 1; moved");
}

TEST_F(DirectMoves, a_vm_that_cannot_be_sent_runs_where_it_is) {
  moves_.found(kKey, VmFact::running);
  done(kRefused);
  EXPECT_EQ(said_, "look at 0; migrate on 0; failed: no room");
  EXPECT_EQ(failure_->kind, ErrorKind::refused) << "it is certain where it is";
}

TEST_F(DirectMoves, a_vm_that_may_have_been_sent_is_inspected) {
  moves_.found(kKey, VmFact::running);
  done(kTimeout);
  EXPECT_EQ(failure_->kind, ErrorKind::timeout);
}

TEST_F(DirectMoves, it_is_looked_for_again_where_the_answer_is_uncertain) {
  moves_.found(kKey, VmFact::running);
  done();
  moves_.found(kKey, VmFact::unknown);
  done(kRefused);
  moves_.found(kKey, VmFact::running);
  done();
  EXPECT_EQ(said_, "look at 0; migrate on 0; look at 1; look at 1; look at 1; cap on 1; moved");
}

TEST_F(DirectMoves, one_that_does_not_arrive_is_inspected) {
  moves_.found(kKey, VmFact::running);
  done();
  moves_.found(kKey, VmFact::absent);
  EXPECT_EQ(failure_->kind, ErrorKind::timeout);
}

TEST_F(DirectMoves, one_whose_node_never_knows_is_inspected) {
  moves_.found(kKey, VmFact::running);
  done();
  for (int i = 0; i < 10; ++i) moves_.found(kKey, VmFact::unknown);
  ASSERT_TRUE(failure_) << said_;
  EXPECT_EQ(failure_->kind, ErrorKind::timeout);
}

TEST_F(DirectMoves, one_that_cannot_be_capped_has_moved_and_is_inspected) {
  moves_.found(kKey, VmFact::running);
  done();
  moves_.found(kKey, VmFact::running);
  done(kRefused);
  EXPECT_EQ(failure_->kind, ErrorKind::timeout);
  EXPECT_EQ(failure_->message, "no room (the VM has moved)");
}

TEST_F(DirectMoves, one_that_is_to_be_destroyed_is_given_up) {
  moves_.found(kKey, VmFact::running);
  ASSERT_TRUE(moves_.give_up({3}, 0));
  said_.clear();
  done();
  EXPECT_EQ(said_, "") << "it is not looked for any more";
}

}  // namespace
}  // namespace aliquot::agent
