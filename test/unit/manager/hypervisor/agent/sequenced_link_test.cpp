#include "manager/hypervisor/agent/sequenced_link.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aliquot {
namespace {

using Messages = std::vector<std::string>;

// Hands over what has been transmitted, and returns what arrived.
Messages pass(SequencedLink& from, SequencedLink& to) {
  Messages arrived;
  for (const Packet& packet : from.take_outgoing())
    if (auto message = to.receive(packet)) arrived.push_back(*message);
  return arrived;
}

void wait(SequencedLink& link, int seconds) {
  for (int i = 0; i < seconds; ++i) link.every_second();
}

TEST(SequencedLink, hands_messages_over_in_order) {
  SequencedLink manager, agent;
  EXPECT_EQ(manager.send("a"), 1U);
  EXPECT_EQ(manager.send("b"), 2U);
  EXPECT_EQ(pass(manager, agent), (Messages{"a", "b"}));
  EXPECT_EQ(pass(manager, agent), Messages{}) << "once";
}

TEST(SequencedLink, acknowledges_with_what_it_says_anyway_or_alone) {
  SequencedLink manager, agent;
  manager.send("a");
  (void)pass(manager, agent);
  EXPECT_EQ(agent.take_outgoing(), (std::vector<Packet>{{0, 1, ""}}));
  EXPECT_TRUE(agent.take_outgoing().empty());
  manager.send("b");
  (void)pass(manager, agent);
  agent.send("c");
  EXPECT_EQ(agent.take_outgoing(), (std::vector<Packet>{{1, 2, "c"}}));
}

TEST(SequencedLink, repeats_what_is_not_acknowledged) {
  SequencedLink manager, agent;
  manager.send("a");
  (void)manager.take_outgoing();  // lost
  wait(manager, SequencedLink::kPatience - 1);
  EXPECT_TRUE(manager.take_outgoing().empty());
  wait(manager, 1);
  EXPECT_EQ(pass(manager, agent), Messages{"a"});
  (void)pass(agent, manager);
  EXPECT_EQ(manager.unacknowledged_bytes(), 0U);
  wait(manager, SequencedLink::kPatience);
  EXPECT_TRUE(manager.take_outgoing().empty());
}

TEST(SequencedLink, passes_over_what_was_withdrawn_before_it_arrived) {
  SequencedLink manager, agent;
  const auto number = manager.send("a");
  manager.send("b");
  manager.withdraw(number);
  EXPECT_EQ(pass(manager, agent), Messages{"b"});
  (void)pass(agent, manager);
  manager.withdraw(number);  // long gone
  manager.withdraw(99);      // never sent
  EXPECT_EQ(manager.unacknowledged_bytes(), 0U);
}

TEST(SequencedLink, sends_no_more_than_a_window_ahead) {
  SequencedLink manager, agent;
  const std::size_t all = SequencedLink::kWindow + 10;
  for (std::size_t i = 0; i < all; ++i) manager.send("m");
  EXPECT_EQ(pass(manager, agent).size(), SequencedLink::kWindow);
  (void)pass(agent, manager);
  EXPECT_EQ(pass(manager, agent).size(), all - SequencedLink::kWindow);
}

TEST(SequencedLink, does_not_believe_an_acknowledgement_of_what_it_never_sent) {
  SequencedLink manager;
  manager.send("a");
  EXPECT_FALSE(manager.receive({0, 1000, ""}));
  EXPECT_EQ(manager.send("b"), 2U);
  EXPECT_EQ(manager.take_outgoing(), (std::vector<Packet>{{2, 0, "b"}}));
}

// A connection that loses, repeats and reorders packets, in both directions at once.
TEST(SequencedLink, delivers_everything_once_over_a_bad_connection) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    SequencedLink ends[2];
    Messages sent[2], arrived[2];
    std::vector<Packet> under_way[2];  // by sender
    for (int round = 0; round < 700; ++round) {
      const bool is_over = round > 300;
      for (int end = 0; end < 2; ++end) {
        if (!is_over && chance(30)) {
          sent[end].push_back(std::to_string(sent[end].size()));
          ends[end].send(sent[end].back());
        }
        for (Packet& packet : ends[end].take_outgoing()) {
          if (!is_over && chance(30)) continue;
          if (chance(20)) under_way[end].push_back(packet);
          under_way[end].push_back(std::move(packet));
        }
        std::shuffle(under_way[end].begin(), under_way[end].end(), random);
        while (!under_way[end].empty() && (is_over || chance(60))) {
          if (auto message = ends[1 - end].receive(under_way[end].back())) arrived[end].push_back(*message);
          under_way[end].pop_back();
        }
        ends[end].every_second();
      }
    }
    EXPECT_EQ(arrived[0], sent[0]) << "seed " << seed;
    EXPECT_EQ(arrived[1], sent[1]) << "seed " << seed;
    EXPECT_GT(sent[0].size(), 50U);
  }
}

}  // namespace
}  // namespace aliquot
