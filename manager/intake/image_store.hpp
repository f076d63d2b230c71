// The image store: disk images that jobs boot, by name. An image is a record in the spool
// (images/NAME.json) and a content there (content/SHA-256), which all images and jobs with that content
// share. So the images outlive the manager and its store. All users share the names.
//
// All functions may be called by any thread; those that read or write files by background tasks only.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "manager/intake/content_store.hpp"
#include "manager/intake/user_files.hpp"
#include "monitor/record/image.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

[[nodiscard]] Error no_such_image(const ImageName& name);

class ImageStore {
 public:
  // `contents` outlives this.
  ImageStore(Spool spool, ContentStore& contents) : spool_(std::move(spool)), contents_(contents) {}

  // Once, before anything else: reads the records. Error: one of them is damaged.
  Result<void> open();
  // The SHA-256 of each image, which ContentStore::open() counts.
  [[nodiscard]] std::vector<std::string> needed() const;

  [[nodiscard]] std::vector<StoredImage> all() const;  // by name
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] Memory size() const;  // of their contents, each counted once
  [[nodiscard]] Result<StoredImage> find(const ImageName& name) const;
  // The image, with one use of its content counted for a job.
  [[nodiscard]] Result<StoredImage> use(const ImageName& name);

  struct Rules {
    std::vector<std::string> roots;  // directories whose files users may name
    Memory max_size;                 // of an image
    Memory max_per_user;             // of the contents of the images that one user has added
    Memory max_total;                // of the contents of all images
  };
  // A copy of the user's file, read with the user's rights, is the image from now on. It may be added again
  // if its content is the same, which mends a damaged copy. Errors: as open_for() has them; refused or
  // invalid_argument, it is no disk image that stands alone; too_large; conflict, the name has another
  // content.
  struct Addition {
    ImageName name;
    std::string path;
    bool uefi = false;
  };
  [[nodiscard]] Result<StoredImage> add(const Addition& addition, const UserIds& user,
                                        std::int64_t now_unix_us, const Rules& rules);
  // The content goes with the last image or job that needs it.
  [[nodiscard]] Result<void> remove(const ImageName& name);
  void stop_copying() { contents_.stop_copying(); }

 private:
  // What the file may have whose copy becomes this image.
  [[nodiscard]] Result<ContentStore::CopyRules> copy_rules(const Addition& addition, std::uint32_t uid,
                                                           const Rules& rules) const;
  [[nodiscard]] Result<StoredImage> describe(const Addition& addition, const std::string& sha256) const;
  // Writes the record. False: there is one, with the same content.
  [[nodiscard]] Result<bool> enter(const StoredImage& image);

  Spool spool_;
  ContentStore& contents_;
  std::mutex changing_;  // one record is written or removed at a time; before mutex_
  mutable std::mutex mutex_;
  std::map<ImageName, StoredImage> images_;
};

}  // namespace aliquot
