#include "manager/intake/image_store.hpp"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "config/quantities.hpp"
#include "manager/hypervisor/disk_layer.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/intake/boot_file.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t kMostImages = 1000;
constexpr std::size_t kLongestRecord = 4096;
constexpr std::string_view kEnding = ".json";

json record_of(const StoredImage& image) {
  json record{{"sha256", image.sha256},       {"format", word(image.format)},
              {"size_bytes", image.size.raw}, {"disk_bytes", image.disk.raw},
              {"owner_uid", image.owner},     {"added_unix_us", image.added_unix_us}};
  if (image.uefi) record["uefi"] = true;
  return record;
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<StoredImage> read_record(const std::string& path, const ImageName& name) {
  const auto text = read_head(path, kLongestRecord);
  if (!text) return tl::unexpected<Error>(text.error());
  const auto damaged = [&](const std::string& why) {
    return fail(ErrorKind::refused, path + " cannot be read: " + why +
                                        "; restore this record of an image, or remove it and add the image "
                                        "again");
  };
  try {
    const json record = json::parse(*text);
    const auto format = record.at("format").get<std::string>();
    StoredImage image{name,
                      record.at("sha256").get<std::string>(),
                      format == word(ImageFormat::raw) ? ImageFormat::raw : ImageFormat::qcow2,
                      {record.at("size_bytes").get<std::int64_t>()},
                      {record.at("disk_bytes").get<std::int64_t>()},
                      record.at("owner_uid").get<std::uint32_t>(),
                      record.at("added_unix_us").get<std::int64_t>(),
                      record.value("uefi", false)};
    if (!is_sha256(image.sha256)) return damaged("its sha256 is none");
    if (format != word(image.format)) return damaged("its format is neither raw nor qcow2");
    return image;
  } catch (const json::exception& fault) {
    return damaged(fault.what());
  }
}

Error has_other_content(const StoredImage& known) {
  return {ErrorKind::conflict, "the image " + known.name.text + " has another content (SHA-256 " +
                                   known.sha256 + "); choose another --name, or `aliquot image remove " +
                                   known.name.text + "` first"};
}

Error has_other_firmware(const StoredImage& known) {
  return {ErrorKind::conflict, "the image " + known.name.text + " was added " +
                                   (known.uefi ? "with --uefi" : "without --uefi") +
                                   "; add it in the same way, or choose another --name"};
}

}  // namespace

Error no_such_image(const ImageName& name) {
  return {ErrorKind::not_found, "there is no image " + name.text +
                                    "; see `aliquot image list`, or add it with `aliquot image add FILE "
                                    "--name " +
                                    name.text + "`"};
}

Result<void> ImageStore::open() {
  const std::lock_guard lock(mutex_);
  if (auto made = make_directories(spool_.images()); !made) return made;
  std::error_code fault;
  for (fs::directory_iterator at(spool_.images(), fault), end; !fault && at != end; at.increment(fault)) {
    const std::string file = at->path().filename().string();
    const ImageName name{file.ends_with(kEnding) ? file.substr(0, file.size() - kEnding.size()) : ""};
    if (!is_image_name(name.text)) continue;  // a record that was never complete
    auto image = read_record(at->path(), name);
    if (!image) return tl::unexpected<Error>(image.error());
    images_[name] = std::move(*image);
  }
  if (!fault) return {};
  return fail(ErrorKind::unavailable, "cannot read " + spool_.images() + ": " + fault.message());
}

std::vector<std::string> ImageStore::needed() const {
  std::vector<std::string> contents;
  for (const StoredImage& image : all()) contents.push_back(image.sha256);
  return contents;
}

std::vector<StoredImage> ImageStore::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<StoredImage> out;
  for (const auto& [name, image] : images_) out.push_back(image);
  return out;
}

Result<StoredImage> ImageStore::find(const ImageName& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = images_.find(name);
  if (found == images_.end()) return tl::unexpected<Error>(no_such_image(name));
  return found->second;
}

Result<StoredImage> ImageStore::use(const ImageName& name) {
  // Locked until the use is counted: an image that is removed meanwhile leaves its content to the job.
  const std::lock_guard lock(mutex_);
  const auto found = images_.find(name);
  if (found == images_.end()) return tl::unexpected<Error>(no_such_image(name));
  if (auto used = contents_.use(found->second.sha256); !used)
    return fail(used.error().kind, "image " + name.text + ": " + used.error().message);
  return found->second;
}

std::size_t ImageStore::count() const {
  const std::lock_guard lock(mutex_);
  return images_.size();
}

Memory ImageStore::size() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, Memory> contents;
  for (const auto& [name, image] : images_) contents[image.sha256] = image.size;
  Memory sum;
  for (const auto& [sha256, size] : contents) sum += size;
  return sum;
}

Result<ContentStore::CopyRules> ImageStore::copy_rules(const Addition& addition, std::uint32_t uid,
                                                       const Rules& rules) const {
  const std::lock_guard lock(mutex_);
  if (images_.size() >= kMostImages && !images_.contains(addition.name))
    return fail(ErrorKind::too_large, "the image store has " + std::to_string(images_.size()) +
                                          " images, and takes no more; remove some");
  std::map<std::string, Memory> all, own;  // each content once
  for (const auto& [name, image] : images_) {
    if (name == addition.name) continue;
    all[image.sha256] = image.size;
    if (image.owner == uid) own[image.sha256] = image.size;
  }
  const auto left_by = [](const std::map<std::string, Memory>& contents, Memory limit) {
    for (const auto& [sha256, size] : contents) limit -= size;
    return std::max(limit, Memory{});
  };
  ContentStore::CopyRules out{rules.max_size, "images.max_size", {}, true, uid};
  const auto bound = [&out](Memory left, std::string why) {
    if (left < out.at_most) out.at_most = left, out.setting = std::move(why);
  };
  bound(left_by(own, rules.max_per_user),
        "what your other images leave of images.max_per_user, " + print_memory(rules.max_per_user));
  bound(left_by(all, rules.max_total),
        "what the other images leave of images.max_total, " + print_memory(rules.max_total));
  out.good = [path = addition.path](int copy) { return check_boot_file(BootFile::image, copy, path); };
  return out;
}

Result<StoredImage> ImageStore::describe(const Addition& addition, const std::string& sha256) const {
  const std::string path = spool_.content(sha256);
  const auto base = inspect_image(path);
  if (!base) return tl::unexpected<Error>(base.error());
  std::error_code fault;
  const auto size = fs::file_size(path, fault);
  if (fault) return fail(ErrorKind::unavailable, "cannot measure " + path + ": " + fault.message());
  StoredImage image;
  image.name = addition.name;
  image.uefi = addition.uefi;
  image.sha256 = sha256;
  image.format = base->qcow2 ? ImageFormat::qcow2 : ImageFormat::raw;
  image.size = {static_cast<std::int64_t>(size)};
  image.disk = {static_cast<std::int64_t>(base->size)};
  return image;
}

Result<bool> ImageStore::enter(const StoredImage& image) {
  const std::lock_guard change(changing_);
  if (const auto known = find(image.name)) {
    if (known->sha256 != image.sha256) return tl::unexpected<Error>(has_other_content(*known));
    if (known->uefi != image.uefi) return tl::unexpected<Error>(has_other_firmware(*known));
    return false;
  }
  // The content must not be lost behind its record.
  if (auto flushed = flush_directory(spool_.contents()); !flushed)
    return tl::unexpected<Error>(flushed.error());
  const std::string text = record_of(image).dump() + "\n";
  auto written = write_atomically(spool_.image_record(image.name.text),
                                  [&](const Writer& write) { return write(text); });
  if (written) written = flush_directory(spool_.images());
  if (!written) return tl::unexpected<Error>(written.error());
  const std::lock_guard lock(mutex_);
  images_[image.name] = image;
  return true;
}

Result<StoredImage> ImageStore::add(const Addition& addition, const UserIds& user, std::int64_t now_unix_us,
                                    const Rules& rules) {
  const std::string& path = addition.path;
  const auto file = open_for(user, path, rules.roots);
  if (!file) return tl::unexpected<Error>(file.error());
  if (auto good = check_boot_file(BootFile::image, file->get(), path); !good)
    return tl::unexpected<Error>(good.error());
  const auto room = copy_rules(addition, user.uid, rules);
  if (!room) return tl::unexpected<Error>(room.error());
  const auto sha256 = contents_.keep_copy(file->get(), path, *room);
  if (!sha256) return tl::unexpected<Error>(sha256.error());
  auto image = describe(addition, *sha256);
  if (image) {
    image->owner = user.uid;
    image->added_unix_us = now_unix_us;
    const auto entered = enter(*image);
    if (entered && *entered) return image;
    if (entered)
      image = find(addition.name);
    else
      image = tl::unexpected<Error>(entered.error());
  }
  contents_.release({*sha256});  // no further image needs it
  return image;
}

Result<void> ImageStore::remove(const ImageName& name) {
  const std::lock_guard change(changing_);
  const auto known = find(name);
  if (!known) return tl::unexpected<Error>(known.error());
  auto removed = remove_file(spool_.image_record(name.text));
  if (removed) removed = flush_directory(spool_.images());
  if (!removed) return removed;
  {
    const std::lock_guard lock(mutex_);
    images_.erase(name);
  }
  contents_.release({known->sha256});
  return {};
}

}  // namespace aliquot
