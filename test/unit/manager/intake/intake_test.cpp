// What users hand in is read with their rights and nobody else's, and is the manager's own from then on.
#include "manager/intake/intake.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

const std::string kKernel =
    "\x7f"
    "ELF a kernel of our own";
constexpr std::uint32_t kOther = 65534;

class Intake : public testing::Test {
 protected:
  Intake() {
    char name[] = "/tmp/aliquot-intake-XXXXXX";
    base_ = mkdtemp(name);
    fs::permissions(base_, fs::perms(0755));
    fs::create_directories(root());
    fs::create_directories(base_ / "elsewhere");
    put(root() / "kernel", kKernel);
    put(base_ / "elsewhere/secret", kKernel);
    store_ = std::make_unique<ContentStore>(spool());
    images_ = std::make_unique<ImageStore>(spool(), *store_);
    if (!store_->open({})) throw std::runtime_error("no store");
  }
  ~Intake() override { fs::remove_all(base_); }

  static void put(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }
  static std::string get(const fs::path& path) {
    std::stringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }
  [[nodiscard]] fs::path root() const { return base_ / "root"; }
  [[nodiscard]] Spool spool() const { return Spool(base_ / "spool"); }
  [[nodiscard]] IntakeRules rules() const { return {{root()}, mebibytes(3), mebibytes(2)}; }
  [[nodiscard]] std::size_t kept() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(spool().contents()), {}));
  }

  Result<Program> take(const std::string& kernel, UserIds user = {::geteuid(), ::getegid(), {}}) {
    return take_in(KernelBoot{kernel, "", ""}, {}, user, rules(), *store_, *images_);
  }
  // Of the refusal; none if the file was taken.
  std::optional<ErrorKind> refusal(const std::string& kernel,
                                   UserIds user = {::geteuid(), ::getegid(), {}}) {
    const auto taken = take(kernel, std::move(user));
    if (taken) return std::nullopt;
    EXPECT_NE(taken.error().message, "");
    return taken.error().kind;
  }

  fs::path base_;
  std::unique_ptr<ContentStore> store_;
  std::unique_ptr<ImageStore> images_;
};

TEST_F(Intake, AnArchiveMayBeAFileWithTheSizeAndTheHashOfTheSubmission) {
  const UserIds self{::geteuid(), ::getegid(), {}};
  const std::string archive = "070701 an archive", path = root() / "archive";
  const Memory size{static_cast<std::int64_t>(archive.size())};
  put(path, archive);
  const auto take_file = [&](const HandedArchive& handed, const UserIds& user) {
    return take_in(LinuxCommand{{"true"}, sha256_hex(archive)}, handed, user, rules(), *store_, *images_);
  };
  const auto refusal_of = [&](const HandedArchive& handed, const UserIds& user) {
    const auto taken = take_file(handed, user);
    return taken ? std::nullopt : std::optional(taken.error().kind);
  };
  const ArchiveQuota enough{size, {}};
  EXPECT_EQ(refusal_of({{}, path, size - Memory{1}, enough}, self), ErrorKind::too_large);
  EXPECT_EQ(refusal_of({{}, path, size, {size, {1}}}, self), ErrorKind::too_large) << "others wait";
  EXPECT_EQ(refusal_of({{}, base_ / "elsewhere/secret", size, enough}, self), ErrorKind::refused);
  EXPECT_EQ(refusal_of({{}, root() / "absent", size, enough}, self), ErrorKind::not_found);
  put(root() / "other", "070701 an Archive");
  EXPECT_EQ(refusal_of({{}, root() / "other", size, enough}, self), ErrorKind::conflict);
  if (::geteuid() == 0) {
    fs::permissions(path, fs::perms(0600));
    EXPECT_EQ(refusal_of({{}, path, size, enough}, {65534, 65534, {}}), ErrorKind::forbidden);
  }
  EXPECT_EQ(kept(), 0U) << "a refused archive is not kept";
  const auto taken = take_file({{}, path, size, enough}, self);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(get(spool().content(sha256_hex(archive))), archive);
  EXPECT_FALSE(store_->copying(self.uid)) << "the copy is over";
  const std::set<std::string> kept_by_jobs{sha256_hex(archive)};
  EXPECT_EQ(store_->size_of(kept_by_jobs), size);
  EXPECT_TRUE(take_file({{}, path, size, {size, {}, kept_by_jobs}}, self)) << "the same counts once";
  store_->release(contents_of(*taken));
  put(root() / "more", archive + "!");
  const auto more = take_in(LinuxCommand{{"true"}, sha256_hex(archive + "!")},
                            {{}, root() / "more", size + Memory{1}, {size * 2, {}, kept_by_jobs}}, self,
                            rules(), *store_, *images_);
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().message.find("limits.max_stage_in_per_user"), std::string::npos)
      << more.error().message;
  store_->release(contents_of(*taken));
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Intake, ACopyTellsItsUserHowFarItIs) {
  put(root() / "large", std::string((2 << 20) + 5, 'x'));
  const Descriptor file(::open((root() / "large").c_str(), O_RDONLY));
  std::vector<std::int64_t> told;
  const auto look = [&](int) -> Result<void> {
    const auto copy = store_->copying(7);
    if (copy) told = {copy->done.raw, copy->of.raw};
    EXPECT_FALSE(store_->copying(8)) << "another user waits for nothing";
    return {};
  };
  ASSERT_TRUE(store_->keep_copy(file.get(), "large", {mebibytes(3), "", look, false, 7}));
  EXPECT_EQ(told, (std::vector<std::int64_t>{(2 << 20) + 5, (2 << 20) + 5}));
  EXPECT_FALSE(store_->copying(7));
}

TEST_F(Intake, AFileBelowARootIsTakenByContent) {
  const auto program = take(root() / "kernel");
  ASSERT_TRUE(program) << program.error().message;
  const auto& boot = std::get<KernelBoot>(*program);
  const std::string copy = spool().content(boot.kernel_sha256);
  EXPECT_EQ(get(copy), kKernel);
  put(root() / "kernel",
      "\x7f"
      "ELF exchanged");
  EXPECT_EQ(get(copy), kKernel) << "nothing can be exchanged later";
  struct stat found {};
  ASSERT_EQ(stat(copy.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0222, 0U) << "nobody writes it again";
}

TEST_F(Intake, AFileOutsideOfTheRootsIsRefused) {
  EXPECT_EQ(refusal("/etc/passwd"), ErrorKind::refused);
  EXPECT_EQ(refusal(base_ / "elsewhere/secret"), ErrorKind::refused);
  EXPECT_EQ(refusal(root().string() + "-beside/kernel"), ErrorKind::refused);
  EXPECT_EQ(refusal(root()), ErrorKind::refused) << "the root itself";
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Intake, ALinkMayNotLeadOutOfTheRoot) {
  fs::create_symlink(base_ / "elsewhere/secret", root() / "absolute");
  fs::create_symlink("../elsewhere/secret", root() / "relative");
  fs::create_symlink("../elsewhere", root() / "folder");
  fs::create_symlink("kernel", root() / "inside");
  EXPECT_EQ(refusal(root() / "absolute"), ErrorKind::refused);
  EXPECT_EQ(refusal(root() / "relative"), ErrorKind::refused);
  EXPECT_EQ(refusal(root() / "folder/secret"), ErrorKind::refused);
  EXPECT_EQ(refusal(root().string() + "/../elsewhere/secret"), ErrorKind::refused);
  EXPECT_EQ(refusal(root() / "inside"), std::nullopt) << "it stays below the root";
}

TEST_F(Intake, TheInnermostRootCounts) {
  fs::create_directories(root() / "deep");
  put(root() / "deep/kernel", kKernel);
  fs::create_symlink("../kernel", root() / "deep/link");
  const auto opens = [&](std::vector<std::string> roots, const char* file) {
    return open_for({::geteuid(), ::getegid(), {}}, root() / file, roots).has_value();
  };
  EXPECT_TRUE(opens({root()}, "deep/link"));
  EXPECT_FALSE(opens({root(), root() / "deep"}, "deep/link")) << "it leads out of the inner one";
  EXPECT_TRUE(opens({root(), root() / "deep"}, "deep/kernel"));
  EXPECT_TRUE(opens({root().string() + "/"}, "kernel"));
  EXPECT_FALSE(opens({}, "kernel"));
}

TEST_F(Intake, WhatIsNoRegularFileIsRefused) {
  ASSERT_EQ(mkfifo((root() / "pipe").c_str(), 0666), 0);
  fs::create_directory(root() / "folder");
  EXPECT_EQ(refusal(root() / "pipe"), ErrorKind::refused);
  EXPECT_EQ(refusal(root() / "folder"), ErrorKind::refused);
  EXPECT_EQ(refusal(root() / "absent"), ErrorKind::not_found);
}

TEST_F(Intake, AFileThatTheUserMayNotReadIsForbidden) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act for another user";
  const UserIds other{kOther, kOther, {}};
  EXPECT_EQ(refusal(root() / "kernel", other), std::nullopt);
  fs::permissions(root() / "kernel", fs::perms(0600));
  EXPECT_EQ(refusal(root() / "kernel", other), ErrorKind::forbidden);
  EXPECT_EQ(refusal(root() / "kernel"), std::nullopt) << "root may";

  fs::permissions(root() / "kernel", fs::perms(0640));
  ASSERT_EQ(chown((root() / "kernel").c_str(), 0, 4711), 0);
  EXPECT_EQ(refusal(root() / "kernel", other), ErrorKind::forbidden);
  EXPECT_EQ(refusal(root() / "kernel", {kOther, kOther, {4711}}), std::nullopt) << "by its group";

  fs::permissions(root() / "kernel", fs::perms(0644));
  fs::permissions(root(), fs::perms(0700));
  EXPECT_EQ(refusal(root() / "kernel", other), ErrorKind::forbidden) << "it cannot reach the root";
  EXPECT_EQ(::geteuid(), 0U) << "and this process is what it was";
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE), 1) << "a crash of the manager still leaves a core dump";
  EXPECT_EQ(refusal(root() / "kernel"), std::nullopt);
}

TEST_F(Intake, AManagerWithoutPrivilegesGoesByWhatEveryUserMayRead) {
  EXPECT_TRUE(open_public(root() / "kernel"));
  fs::permissions(root() / "kernel", fs::perms(0640));
  EXPECT_FALSE(open_public(root() / "kernel"));
  fs::permissions(root() / "kernel", fs::perms(0604));
  EXPECT_FALSE(open_public(root() / "kernel")) << "its group is denied";
  fs::permissions(root() / "kernel", fs::perms(0644));
  fs::permissions(root(), fs::perms(0750));
  EXPECT_FALSE(open_public(root() / "kernel"));
  fs::permissions(root(), fs::perms(0755));
  fs::create_symlink("kernel", root() / "link");
  EXPECT_FALSE(open_public(root() / "link"));
  EXPECT_TRUE(open_public(root() / "kernel"));
}

TEST_F(Intake, WhatCannotBootIsRefused) {
  put(root() / "empty", "");
  put(root() / "text", "hello");
  put(root() / "bzImage", std::string(0x202, 'x') + "HdrS and more");
  put(root() / "gzip", "\x1f\x8b compressed");
  put(root() / "large", kKernel + std::string(3 << 20, 'x'));
  EXPECT_EQ(refusal(root() / "empty"), ErrorKind::invalid_argument);
  EXPECT_EQ(refusal(root() / "text"), ErrorKind::invalid_argument);
  EXPECT_EQ(refusal(root() / "bzImage"), std::nullopt);
  EXPECT_EQ(refusal(root() / "gzip"), std::nullopt);
  EXPECT_EQ(refusal(root() / "large"), ErrorKind::invalid_argument) << "it does not fit into its guest";
  EXPECT_EQ(kept(), 2U) << "of a refused file nothing is kept";
}

TEST_F(Intake, AFileThatIsTooLargeIsRefused) {
  put(root() / "large", kKernel + std::string(2 << 20, 'x'));
  IntakeRules small = rules();
  small.max_size = mebibytes(1);
  small.guest_memory = mebibytes(4);
  const UserIds user{::geteuid(), ::getegid(), {}};
  const auto taken = take_in(KernelBoot{root() / "large", "", ""}, {}, user, small, *store_, *images_);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::too_large);
  EXPECT_NE(taken.error().message.find("files.max_size"), std::string::npos) << taken.error().message;
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Intake, ADryRunKeepsNothing) {
  const UserIds user{::geteuid(), ::getegid(), {}};
  EXPECT_TRUE(check_files(KernelBoot{root() / "kernel", "", ""}, user, rules(), *images_));
  EXPECT_FALSE(check_files(KernelBoot{root() / "absent", "", ""}, user, rules(), *images_));
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Intake, AContentStandsOnceAndGoesWithItsLastJob) {
  const auto first = take(root() / "kernel");
  const auto second = take(root() / "kernel");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(kept(), 1U);
  store_->release(contents_of(*first));
  EXPECT_EQ(kept(), 1U);
  store_->release(contents_of(*second));
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Intake, AFileThatHasNotChangedIsNotReadAgain) {
  ASSERT_TRUE(take(root() / "kernel"));
  usleep(1'100'000);  // until a change of the file would show in its times
  const auto first = take(root() / "kernel");
  const auto before = fs::last_write_time(spool().contents());
  const auto again = take(root() / "kernel");
  ASSERT_TRUE(first && again);
  EXPECT_EQ(contents_of(*again), contents_of(*first));
  EXPECT_EQ(fs::last_write_time(spool().contents()), before) << "no copy was made";
  put(root() / "kernel",
      "\x7f"
      "ELF a new kernel, at the same path");
  const auto changed = take(root() / "kernel");
  ASSERT_TRUE(changed);
  EXPECT_NE(contents_of(*changed), contents_of(*first));
  for (int i = 0; i < 3; ++i) store_->release(contents_of(*first));
  store_->release(contents_of(*changed));
  EXPECT_EQ(kept(), 0U) << "each use was counted";
}

TEST_F(Intake, ARefusedProgramKeepsNoneOfItsFiles) {
  const auto program = take_in(KernelBoot{root() / "kernel", root() / "absent", ""}, {},
                               {::geteuid(), ::getegid(), {}}, rules(), *store_, *images_);
  EXPECT_FALSE(program);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Intake, AStoreThatIsOpenedAnewKeepsWhatJobsNeed) {
  const auto program = take(root() / "kernel");
  ASSERT_TRUE(program);
  ASSERT_TRUE(store_->keep("an archive without a job", std::string(64, 'e')));
  ContentStore again(spool());
  ASSERT_TRUE(again.open(contents_of(*program)));
  EXPECT_EQ(kept(), 2U);
  ASSERT_TRUE(again.remove_unused());
  EXPECT_EQ(kept(), 1U);
  again.release(contents_of(*program));
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Intake, a_file_that_the_spool_has_no_space_for_is_refused_and_not_copied) {
  const auto space =
      SpoolSpace::make(base_ / "spool", mebibytes(1), []() -> Result<Memory> { return mebibytes(1); });
  ContentStore full(spool(), space);
  ASSERT_TRUE(full.open({}));
  const std::string kernel = root() / "kernel";
  const auto refused =
      take_in(KernelBoot{kernel, "", ""}, {}, {::geteuid(), ::getegid(), {}}, rules(), full, *images_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space) << refused.error().message;
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Intake, a_copy_stops_when_others_take_the_space_meanwhile) {
  int asked = 0;
  const auto space = SpoolSpace::make(base_ / "spool", mebibytes(1), [&]() -> Result<Memory> {
    return ++asked <= 3 ? mebibytes(100) : mebibytes(1);
  });
  ContentStore filling(spool(), space);
  ASSERT_TRUE(filling.open({}));
  put(root() / "kernel", kKernel + std::string(3 << 20, 'x'));
  IntakeRules large = rules();
  large.max_size = large.guest_memory = mebibytes(10);
  const auto refused = take_in(KernelBoot{root() / "kernel", "", ""}, {}, {::geteuid(), ::getegid(), {}},
                               large, filling, *images_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space) << refused.error().message;
  EXPECT_EQ(kept(), 0U);
}

}  // namespace
}  // namespace aliquot
