// Permissions as a function of request and peer; and that a kernel without an answer means refusal.
#include "manager/api/wire/auth.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "manager/api/wire/connections.hpp"
#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/request_facts.hpp"

namespace aliquot {
namespace {

const Peer kUser{1000, 1, true, false};
const Peer kOther{1001, 1, true, false};
const Peer kReader{1002, 1, false, false};
const Peer kOperator{0, 1, true, true};

bool may(const Request& request, const Peer& peer, std::optional<std::uint32_t> owner = std::nullopt) {
  const auto allowed = authorize(request, peer, owner);
  if (!allowed) {
    EXPECT_EQ(allowed.error().kind, ErrorKind::forbidden);
  }
  return allowed.has_value();
}

TEST(Authorize, WhoeverReachesTheSocketMayLook) {
  for (const Request& request : std::vector<Request>{
           Hello{}, List{}, Show{}, Why{}, Events{}, NodeList{}, NodeShow{}, PolicyShow{}, ModeShow{},
           PlanShow{}, Status{}, ImageList{}, ImageShow{}, KnowledgeList{}, KnowledgeExport{}}) {
    EXPECT_TRUE(may(request, kReader)) << method_name(request);
    EXPECT_FALSE(needs_identity(request)) << method_name(request);
  }
}

TEST(Authorize, SubmittersMaySubmitAndKeepImages) {
  for (const Request& request : std::vector<Request>{Submit{}, ImageAdd{}, ImageRemove{}}) {
    EXPECT_TRUE(may(request, kUser));
    EXPECT_FALSE(may(request, kReader));
    EXPECT_TRUE(needs_identity(request));
  }
}

TEST(Authorize, AJobIsItsOwnersAndTheOperators) {
  for (const Request& request :
       std::vector<Request>{Cancel{}, Hold{}, ReleaseJob{}, Requeue{}, SetNeed{}, Evolve{}, Logs{}}) {
    EXPECT_TRUE(may(request, kUser, 1000)) << method_name(request);
    EXPECT_FALSE(may(request, kOther, 1000)) << method_name(request);
    EXPECT_TRUE(may(request, kOperator, 1000)) << method_name(request);
    // No job, no owner: only operators learn that.
    EXPECT_FALSE(may(request, kUser)) << method_name(request);
    EXPECT_TRUE(may(request, kOperator)) << method_name(request);
    EXPECT_TRUE(needs_identity(request)) << method_name(request);
  }
}

TEST(Authorize, OperatorsOperate) {
  for (const Request& request : std::vector<Request>{PolicySet{},
                                                     PolicyReset{},
                                                     PeriodSet{},
                                                     ModeSet{},
                                                     ModeReset{},
                                                     NodeProbe{},
                                                     NodeAdd{},
                                                     NodeRemove{},
                                                     NodeRename{},
                                                     NodeAcceptHost{},
                                                     NodeReclaim{},
                                                     PlanApply{},
                                                     PlanShow{{"node-down=n1"}},
                                                     PlanShow{{}, true},
                                                     KnowledgeImport{},
                                                     KnowledgeForget{},
                                                     RunTimesList{},
                                                     RunTimesExport{},
                                                     RunTimesImport{},
                                                     RunTimesForget{},
                                                     AccountSet{},
                                                     AccountReset{},
                                                     MaintenanceAdd{},
                                                     MaintenanceRemove{},
                                                     MotdSet{},
                                                     MotdClear{},
                                                     HaStepDown{}}) {
    EXPECT_FALSE(may(request, kUser)) << method_name(request);
    EXPECT_TRUE(may(request, kOperator)) << method_name(request);
    EXPECT_TRUE(needs_identity(request)) << method_name(request);
  }
}

// Every kind of request, with nothing in it.
template <std::size_t... kinds>
std::vector<Request> every_request(std::index_sequence<kinds...>) {
  return {Request(std::in_place_index<kinds>)...};
}
const std::vector<Request> kEvery = every_request(std::make_index_sequence<std::variant_size_v<Request>>());

// The names of those that this peer may make, about a job of its own.
std::string permitted(const Peer& peer) {
  std::string names;
  for (const Request& request : kEvery)
    if (authorize(request, peer, peer.uid)) names += method_name(request) + " ";
  return names;
}

Peer with_key(KeyRole role, std::uint32_t uid = 1000) {
  Roles roles;
  roles.operators = {2000};
  Credentials who;
  who.uid = uid;
  who.role = role;
  who.key = "laptop";
  return with_roles(who, roles);
}

constexpr const char* kLooks =
    "hello list show why events logs accounts account.show account.usage knowledge.list knowledge.export "
    "image.list "
    "image.show node.list "
    "node.show node.orphans policy.show mode.show plan status maintenance.list motd.show ha.status ";

TEST(KeyRoles, AViewerLooksOnly) {
  EXPECT_EQ(permitted(with_key(KeyRole::viewer)), kLooks);
  EXPECT_EQ(permitted(with_key(KeyRole::viewer, 2000)), kLooks) << "although its user is an operator";
  EXPECT_FALSE(may(Logs{}, with_key(KeyRole::viewer, 2000), 1000)) << "the output of another user's job";
}

TEST(KeyRoles, NoKeyGivesMoreThanItsUserHas) {
  const std::string of_user = permitted(kUser);
  for (const KeyRole role : {KeyRole::user, KeyRole::operating, KeyRole::admin})
    EXPECT_EQ(permitted(with_key(role)), of_user) << "its user is no operator";
  EXPECT_EQ(permitted(with_key(KeyRole::user, 2000)), of_user);
  EXPECT_FALSE(may(Cancel{}, with_key(KeyRole::user, 2000), 1000));
  const Peer operating = with_key(KeyRole::operating, 2000);
  EXPECT_TRUE(may(PolicySet{}, operating));
  EXPECT_TRUE(may(Cancel{}, operating, 1000));
  EXPECT_FALSE(may(KeyList{}, operating));
}

TEST(KeyRoles, OnlyTheManagersMachineMakesKeys) {
  const Peer admin = with_key(KeyRole::admin, 2000);
  EXPECT_TRUE(may(KeyList{}, admin));
  EXPECT_TRUE(may(KeyRevoke{}, admin));
  EXPECT_FALSE(may(KeyAdd{}, admin)) << "a stolen key would make more";
  Roles roles;
  roles.manager_uid = 900;
  for (const std::uint32_t uid : {0U, 900U}) {
    const Peer local = with_roles({uid, 1}, roles);
    EXPECT_TRUE(may(KeyAdd{}, local) && may(KeyList{}, local) && may(KeyRevoke{}, local)) << uid;
  }
  EXPECT_FALSE(may(KeyAdd{}, kUser));
  EXPECT_FALSE(may(KeyAdd{}, kOperator)) << "an operator is no administrator";
}

TEST(RequestFacts, WhatChangesSomethingIsMoreThanAViewerMay) {
  std::string only_asked;
  for (const Request& request : kEvery)
    if (!changes_something(request)) only_asked += method_name(request) + " ";
  EXPECT_EQ(
      only_asked,
      "hello list show why events logs terminal.read terminal.write accounts account.show account.usage "
      "knowledge.list "
      "knowledge.export predictions.list predictions.export image.list image.show node.list node.show "
      "node.probe node.orphans policy.show mode.show plan status maintenance.list motd.show ha.status "
      "key.list ");
  Submit dry;
  dry.dry_run = true;
  EXPECT_FALSE(changes_something(dry));
  EXPECT_EQ(object_of(Cancel{{7}}), "job 7");
  EXPECT_EQ(object_of(NodeResume{"n1"}), "node n1");
  EXPECT_EQ(object_of(KeyRevoke{"laptop"}), "key laptop");
  EXPECT_EQ(object_of(MaintenanceRemove{"ram"}), "maintenance window ram");
  EXPECT_EQ(object_of(Status{}), "");
}

TEST(Roles, ComeFromUserNamesAndAnUnknownOneIsNamed) {
  ApiSettings settings;
  settings.operators = {"root"};
  settings.submitters = {"nobody"};
  const auto roles = resolve_roles(settings);
  ASSERT_TRUE(roles) << roles.error().message;
  EXPECT_TRUE(with_roles({0, 1}, *roles).is_operator);
  EXPECT_TRUE(with_roles({0, 1}, *roles).may_submit);
  EXPECT_FALSE(with_roles({65534, 1}, *roles).is_operator);
  EXPECT_TRUE(with_roles({65534, 1}, *roles).may_submit);
  EXPECT_FALSE(with_roles({1, 1}, *roles).may_submit);
  settings.submitters.clear();
  EXPECT_TRUE(with_roles({1, 1}, *resolve_roles(settings)).may_submit);
  settings.operators = {"no-such-user-here"};
  const auto unknown = resolve_roles(settings);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("no-such-user-here"), std::string::npos);
}

// Two accounts of the configuration: one for a user and a group, one for all.
Roles with_accounts() {
  Roles roles;
  roles.accounts = {{"lab", {1000}, {50}, false}, {"common", {}, {}, true}};
  return roles;
}

TEST(Accounts, AUserChargesOnlyWhatTheSiteGivesIt) {
  const Roles roles = with_accounts();
  EXPECT_EQ(account_to_charge("lab", kUser, roles), "lab");
  EXPECT_EQ(account_to_charge("common", kOther, roles), "common");
  for (const char* foreign : {"lab", "unknown"}) {
    const auto refused = account_to_charge(foreign, kOther, roles);
    ASSERT_FALSE(refused) << foreign;
    EXPECT_EQ(refused.error().kind, ErrorKind::forbidden);
    EXPECT_NE(refused.error().message.find("it may charge common"), std::string::npos)
        << refused.error().message;
  }
  EXPECT_EQ(account_to_charge("anything", kOperator, roles), "anything");
  EXPECT_EQ(account_to_charge("", kOperator, roles), "");
}

TEST(Accounts, AGroupOpensAnAccountToItsMembers) {
  Peer member = kOther;
  member.groups = {7, 50};
  EXPECT_EQ(account_to_charge("lab", member, with_accounts()), "lab");
  member.groups.clear();
  member.gid = 50;
  EXPECT_EQ(account_to_charge("lab", member, with_accounts()), "lab");
}

TEST(Accounts, TheFirstOfAUserIsItsDefault) {
  EXPECT_EQ(account_to_charge("", kUser, with_accounts()), "lab");
  EXPECT_EQ(account_to_charge("", kOther, with_accounts()), "common");
  Roles roles = with_accounts();
  roles.accounts.pop_back();
  EXPECT_FALSE(account_to_charge("", kOther, roles)) << "no account is its own";
}

TEST(Accounts, WithoutAConfigurationOnlyOperatorsChargeAny) {
  EXPECT_EQ(account_to_charge("", kUser, {}), "");
  EXPECT_FALSE(account_to_charge("lab", kUser, {}));
  EXPECT_EQ(account_to_charge("lab", kOperator, {}), "lab");
}

TEST(Accounts, AreResolvedFromNames) {
  ApiSettings settings;
  settings.accounts = {*account_grant().parse("lab=root,@root")};
  const auto roles = resolve_roles(settings);
  ASSERT_TRUE(roles) << roles.error().message;
  EXPECT_EQ(roles->accounts[0].users, (std::set<std::uint32_t>{0}));
  EXPECT_EQ(roles->accounts[0].groups, (std::set<std::uint32_t>{0}));
  for (const char* unknown : {"lab=no-such-user-here", "lab=@no-such-group-here"}) {
    settings.accounts = {*account_grant().parse(unknown)};
    EXPECT_FALSE(resolve_roles(settings)) << unknown;
  }
}

TEST(PeerOf, RefusesWhatIsNoConnectionOfOurs) {
  EXPECT_FALSE(peer_of(-1, "/x"));
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto nameless = peer_of(ends[0], "/x");  // a local socket, but not bound to our path
  ASSERT_FALSE(nameless);
  EXPECT_EQ(nameless.error().kind, ErrorKind::forbidden);
  close(ends[0]);
  close(ends[1]);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  EXPECT_FALSE(peer_of(pipe_ends[0], "/x"));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST(Connections, ATicketProvesTheConnectionItWasGivenTo) {
  Connections connections(2);
  const auto ticket = connections.greet(7);
  ASSERT_TRUE(ticket);
  EXPECT_TRUE(connections.prove(7, *ticket));
  EXPECT_FALSE(connections.prove(7, ""));
  EXPECT_FALSE(connections.prove(7, std::string(32, '0')));
  EXPECT_FALSE(connections.prove(8, *ticket));
  EXPECT_EQ(*connections.greet(7), *ticket) << "a second hello changes nothing";
  EXPECT_NE(*connections.greet(8), *ticket);
  connections.forget(7);
  EXPECT_FALSE(connections.prove(7, *ticket));
}

TEST(Connections, CountWhatIsInFlight) {
  Connections connections(2);
  EXPECT_TRUE(connections.begin(7));
  EXPECT_TRUE(connections.begin(7));
  EXPECT_EQ(connections.begin(7).error().kind, ErrorKind::refused);
  connections.end(7);
  EXPECT_TRUE(connections.begin(7));
  connections.forget(7);
  connections.end(7);
  EXPECT_EQ(connections.size(), 0U);
}

}  // namespace
}  // namespace aliquot
