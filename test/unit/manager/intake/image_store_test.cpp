// An image is the manager's own copy of a file that its user may read, and stays what it was.
#include "manager/intake/image_store.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "manager/hypervisor/disk_layer.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/task_files.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNow = 1'767'225'600'000'000;
const std::string kDisk(4096, 'd');

// A qcow2 image that stands alone, of a disk of 1 MiB.
std::string qcow2() {
  std::string image = *empty_layer("", {true, 1 << 20});
  image.replace(8, 8, std::string(8, '\0'));  // no backing file
  return image;
}

class Images : public testing::Test {
 protected:
  Images() {
    char name[] = "/tmp/aliquot-images-XXXXXX";
    base_ = mkdtemp(name);
    fs::permissions(base_, fs::perms(0755));
    fs::create_directories(root());
    put("disk.img", kDisk);
    start();
  }
  ~Images() override { fs::remove_all(base_); }

  // As the manager does, `jobs` with the contents that they need.
  void start(const std::vector<std::string>& jobs = {}) {
    contents_ = std::make_unique<ContentStore>(spool());
    images_ = std::make_unique<ImageStore>(spool(), *contents_);
    ASSERT_TRUE(images_->open());
    std::vector<std::string> needed = images_->needed();
    needed.insert(needed.end(), jobs.begin(), jobs.end());
    ASSERT_TRUE(contents_->open(needed));
    ASSERT_TRUE(contents_->remove_unused());
  }
  [[nodiscard]] fs::path root() const { return base_ / "root"; }
  [[nodiscard]] Spool spool() const { return Spool(base_ / "spool"); }
  void put(const std::string& file, const std::string& content) const {
    std::ofstream(root() / file, std::ios::binary) << content;
  }
  [[nodiscard]] std::size_t kept() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(spool().contents()), {}));
  }
  Result<StoredImage> add(const std::string& name, const std::string& file,
                          UserIds user = {::geteuid(), ::getegid(), {}}) {
    return images_->add({{name}, root() / file}, user, kNow,
                        {{root()}, max_size_, max_per_user_, max_total_});
  }
  std::optional<ErrorKind> refusal(const std::string& file) {
    const auto added = add("image", file);
    return added ? std::nullopt : std::optional(added.error().kind);
  }
  // Someone writes to the content behind the manager's back.
  void tamper(const std::string& sha256) const {
    fs::permissions(spool().content(sha256), fs::perms(0600));
    std::ofstream(spool().content(sha256), std::ios::binary) << "tampered";
  }
  [[nodiscard]] Result<void> check(const std::string& sha256) const {
    Submission submission;
    submission.program = ImageBoot{"debian", sha256};
    return check_image(spool(), submission);
  }

  fs::path base_;
  Memory max_size_ = mebibytes(1);
  Memory max_per_user_ = mebibytes(1);
  Memory max_total_ = mebibytes(1);
  std::unique_ptr<ContentStore> contents_;
  std::unique_ptr<ImageStore> images_;
};

TEST_F(Images, are_named_as_files_may_be_and_paths_may_not) {
  for (const char* good : {"debian-12.5_x", "9p", "a", "a..b"}) EXPECT_TRUE(is_image_name(good)) << good;
  for (const char* bad : {"", ".", "..", ".a", "-a", "_a", "a/b", "/etc/shadow", "A", "a b", "\xc3\xa4"})
    EXPECT_FALSE(is_image_name(bad)) << bad;
  EXPECT_TRUE(is_image_name(std::string(63, 'a')));
  EXPECT_FALSE(is_image_name(std::string(64, 'a')));
  EXPECT_FALSE(is_image_name(std::string("a\0b", 3)));
  EXPECT_EQ(image_name_of_file("/images/debian-12.5.qcow2"), "debian-12.5");
  EXPECT_EQ(image_name_of_file("disk"), "disk");
  EXPECT_EQ(image_name_of_file("/images/.img"), ".");
  EXPECT_EQ(image_name_of_file("/images/"), "");
}

TEST_F(Images, know_what_they_are) {
  put("other.qcow2", qcow2());
  const auto raw = add("debian", "disk.img");
  const auto other = add("other", "other.qcow2");
  ASSERT_TRUE(raw) << raw.error().message;
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(*raw, (StoredImage{
                      {"debian"}, sha256_hex(kDisk), ImageFormat::raw, {4096}, {4096}, ::geteuid(), kNow}));
  EXPECT_EQ(other->format, ImageFormat::qcow2);
  EXPECT_EQ(other->disk, mebibytes(1));
  EXPECT_EQ(images_->all(), (std::vector{*raw, *other}));
  EXPECT_EQ(images_->find({"absent"}).error().kind, ErrorKind::not_found);
}

TEST_F(Images, are_there_when_the_manager_starts_again) {
  const auto before = add("debian", "disk.img");
  ASSERT_TRUE(before);
  std::ofstream(spool().images() + "/half.json.new-1-1") << "{";  // the manager died while it wrote this
  start();
  EXPECT_EQ(images_->all(), std::vector{*before});
  EXPECT_EQ(kept(), 1U);
}

TEST_F(Images, with_a_damaged_record_stop_the_start_and_lose_nothing) {
  ASSERT_TRUE(add("debian", "disk.img"));
  std::ofstream(spool().image_record("debian")) << R"({"sha256":"../../etc/shadow","format":"raw",)"
                                                << R"("size_bytes":1,"disk_bytes":1,"owner_uid":0,)"
                                                << R"("added_unix_us":0})";
  ImageStore again(spool(), *contents_);
  const auto opened = again.open();
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("debian.json"), std::string::npos) << opened.error().message;
  EXPECT_EQ(kept(), 1U);
}

TEST_F(Images, of_the_same_content_share_it) {
  ASSERT_TRUE(add("debian", "disk.img"));
  ASSERT_TRUE(add("the-same", "disk.img"));
  EXPECT_EQ(kept(), 1U);
  ASSERT_TRUE(images_->remove({"debian"}));
  EXPECT_EQ(kept(), 1U);
  ASSERT_TRUE(images_->remove({"the-same"}));
  EXPECT_EQ(kept(), 0U);
  EXPECT_EQ(images_->remove({"debian"}).error().kind, ErrorKind::not_found);
}

TEST_F(Images, leave_their_content_to_the_jobs_that_have_it) {
  ASSERT_TRUE(add("debian", "disk.img"));
  const auto used = images_->use({"debian"});
  ASSERT_TRUE(used);
  ASSERT_TRUE(images_->remove({"debian"}));
  EXPECT_TRUE(check(used->sha256));
  start({used->sha256});
  EXPECT_TRUE(check(used->sha256)) << "after a restart too";
  contents_->release({used->sha256});
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Images, may_be_added_again_but_not_exchanged) {
  ASSERT_TRUE(add("debian", "disk.img"));
  EXPECT_TRUE(add("debian", "disk.img"));
  put("disk.img", kDisk + "another");
  const auto other = add("debian", "disk.img");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::conflict);
  EXPECT_EQ(kept(), 1U);
  ASSERT_TRUE(images_->remove({"debian"}));
  EXPECT_EQ(kept(), 0U) << "each use was counted";
}

TEST_F(Images, that_were_tampered_with_are_refused_by_name_and_checksum_until_they_are_mended) {
  usleep(1'100'000);  // a file that has not changed is not copied again, unless it must
  ASSERT_TRUE(add("debian", "disk.img"));
  const std::string good = sha256_hex(kDisk);
  EXPECT_TRUE(check(good));
  tamper(good);
  const auto refused = check(good);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  for (const std::string& said : {std::string("the image debian"), good, sha256_hex("tampered")})
    EXPECT_NE(refused.error().message.find(said), std::string::npos) << refused.error().message;
  ASSERT_TRUE(add("debian", "disk.img"));
  EXPECT_TRUE(check(good));
  fs::remove(spool().content(good));
  EXPECT_EQ(check(good).error().kind, ErrorKind::refused) << "lost";
  EXPECT_FALSE(images_->use({"debian"}));
}

TEST_F(Images, that_name_further_files_or_are_none_are_refused) {
  put("layer", *empty_layer("/etc/shadow", {false, 512}));
  put("empty", "");
  put("cut", qcow2().substr(0, 60));
  EXPECT_EQ(refusal("layer"), ErrorKind::refused);
  EXPECT_EQ(refusal("empty"), ErrorKind::invalid_argument);
  EXPECT_EQ(refusal("cut"), ErrorKind::invalid_argument);
  EXPECT_EQ(kept(), 0U);
  EXPECT_TRUE(images_->all().empty());
}

TEST_F(Images, are_taken_only_from_files_that_the_user_may_name_and_read) {
  std::ofstream(base_ / "secret") << kDisk;
  fs::create_symlink("/etc/shadow", root() / "link");
  fs::create_symlink("../secret", root() / "up");
  ASSERT_EQ(mkfifo((root() / "pipe").c_str(), 0666), 0);
  for (const char* file : {"link", "up", "../secret", "pipe"})
    EXPECT_EQ(refusal(file), ErrorKind::refused) << file;
  EXPECT_EQ(
      images_->add({{"shadow"}, "/etc/shadow"}, {}, kNow, {{root()}, max_size_, max_per_user_, max_total_})
          .error()
          .kind,
      ErrorKind::refused);
  if (::geteuid() == 0) {
    fs::permissions(root() / "disk.img", fs::perms(0600));
    EXPECT_EQ(add("image", "disk.img", {65534, 65534, {}}).error().kind, ErrorKind::forbidden);
  }
  EXPECT_EQ(kept(), 0U);
}

TEST_F(Images, are_bounded_one_and_all) {
  const auto says = [&](const char* name, const char* file, const char* setting) {
    const auto added = add(name, file);
    ASSERT_FALSE(added) << name;
    EXPECT_EQ(added.error().kind, ErrorKind::too_large);
    EXPECT_NE(added.error().message.find(setting), std::string::npos) << added.error().message;
  };
  max_size_ = {4000};
  says("debian", "disk.img", "images.max_size");
  max_size_ = {5000};
  max_total_ = {6000};
  ASSERT_TRUE(add("debian", "disk.img"));
  EXPECT_TRUE(add("debian", "disk.img")) << "it does not count twice";
  put("other.img", kDisk + "another");
  says("other", "other.img", "images.max_total");
  max_total_ = {10'000};
  max_per_user_ = {6000};
  says("other", "other.img", "what your other images leave of images.max_per_user, 6000B");
  max_per_user_ = mebibytes(1);
  EXPECT_TRUE(add("other", "other.img"));
  EXPECT_EQ(kept(), 2U);
  EXPECT_EQ(images_->count(), 2U);
  EXPECT_EQ(images_->size().raw, static_cast<std::int64_t>(2 * kDisk.size() + 7));
}

TEST_F(Images, boot_as_they_were_added) {
  const UserIds self{::geteuid(), ::getegid(), {}};
  const ImageStore::Rules rules{{root()}, max_size_, max_per_user_, max_total_};
  const auto added = images_->add({{"efi"}, root() / "disk.img", true}, self, kNow, rules);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_TRUE(added->uefi);
  EXPECT_TRUE(images_->use({"efi"})->uefi);
  const auto other = images_->add({{"efi"}, root() / "disk.img", false}, self, kNow, rules);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::conflict);
  EXPECT_NE(other.error().message.find("--uefi"), std::string::npos);
  ImageStore again(spool(), *contents_);
  ASSERT_TRUE(again.open());
  EXPECT_TRUE(again.find({"efi"})->uefi);
}

// A file that is exchanged while it is copied: what was checked is what is kept.
TEST_F(Images, hold_what_was_checked_whatever_becomes_of_the_file) {
  std::atomic<bool> over{false};
  std::thread swapper([&] {
    for (int n = 0; !over; ++n) {
      const std::string next = n % 2 == 0 ? *empty_layer("/etc/shadow", {false, 512}) : qcow2();
      put("next", next);
      fs::rename(root() / "next", root() / "swapped");
      put("disk.img", next.substr(0, 4096));  // in place
    }
  });
  // On a busy machine it takes longer until one file comes through.
  for (int n = 0; n < 100 || (images_->all().empty() && n < 10'000); ++n)
    for (const char* file : {"swapped", "disk.img"}) (void)add("image-" + std::to_string(n), file);
  over = true;
  swapper.join();
  EXPECT_FALSE(images_->all().empty()) << "the race was never run";
  for (const StoredImage& image : images_->all()) {
    EXPECT_TRUE(inspect_image(spool().content(image.sha256))) << "it names further files";
    EXPECT_EQ(*hash_on_disk(spool().content(image.sha256)), image.sha256);
  }
}

TEST_F(Images, that_are_being_copied_do_not_keep_the_manager_from_ending) {
  contents_->stop_copying();
  EXPECT_EQ(refusal("disk.img"), ErrorKind::unavailable);
  EXPECT_EQ(kept(), 0U);
}

}  // namespace
}  // namespace aliquot
