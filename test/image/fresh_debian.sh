# shellcheck shell=bash
# For tests in a fresh Debian 12: sourced after `set -euo pipefail`, as root of a checkout. What a test
# mounts and starts ends with it. A test that uses `must` and the like names the tree $system, and has a
# function `inside` that runs a command line there.

system='' # the tree

skip() { echo "$*" && exit 77; }
fail() { echo "error: $*" >&2 && exit 1; }

# Of Debian 12, as apt on this machine is configured: "URI SUITE COMPONENT" lines.
# shellcheck disable=SC2016
repositories() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    grep -E ' bookworm(-updates|-security)? ' | sort -u
}

# The proxy of this machine's apt, for the apt of the tree.
take_proxy() { # tree
  apt-config dump | grep -i '^Acquire::.*proxy' >"$1/etc/apt/apt.conf.d/90proxy" || true
}

# Starts the test anew in namespaces of its own, once; leaves it out where none can be made.
enter_namespaces() { # program arguments...
  [[ -z ${ALIQUOT_IN_NAMESPACE:-} ]] || return 0
  ((EUID == 0)) || skip "needs root for chroot"
  [[ -n $(repositories) ]] || skip "apt knows no Debian 12 repository"
  unshare --mount --pid --fork true 2>/dev/null || skip "no mount namespace can be made here"
  export ALIQUOT_IN_NAMESPACE=1
  exec unshare --mount --pid --fork --kill-child --mount-proc --propagation private "$@"
}

# Makes the folder $work, which goes with the test.
make_work_folder() { # name
  work=$(mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX")
  trap remove_work_folder EXIT
  trap 'exit 130' INT TERM
}

remove_work_folder() {
  local mounted
  for mounted in $(awk -v work="$work/" 'index($2, work) == 1 { print $2 }' /proc/mounts | sort -r); do
    umount -l "$mounted"
  done
  rm -rf --one-file-system "$work"
}

must() { # command line: prints it and its last line
  inside "$1" >"$work/log" 2>&1 || { tail -n 15 "$work/log" >&2 && fail "in the fresh system: $1"; }
  echo "$1: $(tail -n 1 "$work/log")"
}

expect() { # text, of what the last `must` has printed
  grep -qF -- "$1" "$work/log" || { tail -n 15 "$work/log" >&2 && fail "it does not say: $1"; }
}

# Those that ALIQUOT_TEST_PACKAGES has already, if it is set and no other version is wanted.
make_packages() { # folder [version]
  if [[ -n ${ALIQUOT_TEST_PACKAGES:-} && $# == 1 ]]; then
    mkdir -p "$1" && cp "$ALIQUOT_TEST_PACKAGES"/*aliquot*.deb "$1/"
    return
  fi
  tools/package "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2 && fail "tools/package $*"; }
}

install_packages() { # folder
  rm -rf "$system/packages" && cp -r "$1" "$system/packages"
  must "apt-get install -q=2 -y --no-install-recommends -o Dpkg::Use-Pty=0 /packages/*.deb"
}
