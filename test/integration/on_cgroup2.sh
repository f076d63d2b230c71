#!/usr/bin/env bash
# Runs a command as on a machine that has control groups of version 2 alone, which Debian 12 is:
# on_cgroup2.sh COMMAND...
#
# Where the machine has its controllers in trees of version 1, and no group uses them, they are moved to the
# tree of version 2 for so long, and back at the end. A tree of version 1 must have some controller: it gets
# one that nothing uses. Tests that need version 1 cannot run beside it.
set -euo pipefail

groups=/sys/fs/cgroup
lent=() # "CONTROLLER MOUNTPOINT", which version 1 gets back

fail() { echo "error: $*" >&2 && exit 1; }
skip() { echo "$*" && exit 77; }

# A remount takes the controllers that it does not name out of the tree.
tree_has() { mount -t cgroup -o "remount,$2" none "$1" 2>/dev/null; } # mount point, controller

move_to_version_2() { # controller, stand-in
  local folder=$groups/$1
  [[ -d $folder ]] || return 0
  tree_has "$folder" "$2" || fail "$folder cannot give its controller away: a group uses it"
  lent+=("$1 $folder")
}

# The kernel takes some time to forget groups that have been removed.
move_back() {
  local controller tries
  for controller in $(<"$unified/cgroup.subtree_control"); do
    echo "-$controller" >"$unified/cgroup.subtree_control" || true
  done
  for controller in "${lent[@]}"; do
    for ((tries = 0; tries < 300; ++tries)); do
      ! tree_has "${controller#* }" "${controller% *}" || continue 2
      sleep 0.1
    done
    echo "error: version 1 does not get ${controller% *} back: groups of version 2 still use it" >&2
  done
  umount "$unified" && rmdir "$unified"
}

(($# > 0)) || fail "it needs a command: on_cgroup2.sh COMMAND..."
[[ $(stat -f -c %T $groups) != cgroup2fs ]] || exec "$@"
((EUID == 0)) || skip "needs root to move controllers between control groups"
unshare --mount true 2>/dev/null || skip "no mount namespace can be made here"

unified=$(mktemp -d)
mount -t cgroup2 none "$unified" || skip "this kernel has no control groups of version 2"
trap move_back EXIT
trap 'exit 130' INT TERM
move_to_version_2 cpu net_cls
move_to_version_2 cpuset net_prio
move_to_version_2 blkio perf_event
grep -qw cpu "$unified/cgroup.controllers" || fail "the cpu controller has not become one of version 2"

# shellcheck disable=SC2016
unshare --mount --propagation private bash -c '
  umount -l "$0" && mount -t cgroup2 none "$0" && exec "$@"' $groups "$@"
