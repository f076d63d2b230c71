# shellcheck shell=bash
# Guests as libvirt domains, sourced by guest_test.sh, which sets the five variables named here.
# shellcheck disable=SC2154 # root, build, guest, work, spool

skip() { echo "skipped: $*" && exit 77; }
fail() { echo "FAILED: $*" >&2 && exit 1; }
on() { timeout 120 "$root/tools/localcluster" virsh "$@" >/dev/null; } # NODE ARGS...

wait_for() { # FILE PATTERN SECONDS
  local deadline=$((SECONDS + $3))
  until grep -q -- "$2" "$1" 2>/dev/null; do
    ((SECONDS < deadline)) || fail "no '$2' in ${1##*/} within $3 s: $(tail -n 3 "$1" 2>&1)"
    sleep 0.02
  done
}

domain() { # NAME MEMORY_MIB BOOT_XML
  cat <<END
<domain type='qemu'><name>$1</name><memory unit='MiB'>$2</memory><vcpu>1</vcpu>
<os><type arch='x86_64' machine='pc-i440fx-7.2'>hvm</type>$3</os>
<features><acpi/><tcg><tb-cache unit='MiB'>32</tb-cache></tcg></features>
<on_poweroff>destroy</on_poweroff><on_reboot>destroy</on_reboot><on_crash>destroy</on_crash>
<devices><emulator>/usr/bin/qemu-system-x86_64</emulator><controller type='usb' model='none'/>
<serial type='file'><source path='$spool/$1.log' append='on'/><target port='0'/></serial>
<serial type='file'><source path='$spool/$1.status' append='on'/><target port='1'/></serial>
<memballoon model='none'/></devices></domain>
END
}

chain_domain() { # NAME MEMORY_MIB BLOCKS UNIT
  domain "$1" "$2" "<kernel>$guest/hashchain.elf</kernel><cmdline>total=$3 unit=$4</cmdline>"
}

linux_domain() { # NAME OUTPUT_BYTES; the initrd stands in the spool
  local parameters
  parameters="$(<"$guest/cmdline") aliquot.job=7 aliquot.task=1 aliquot.tasks=4 aliquot.output=$2"
  domain "$1" "${memory:-128}" \
    "<kernel>$guest/vmlinux</kernel><initrd>$spool/$1.initrd</initrd><cmdline>$parameters</cmdline>"
}

linux_task() { # NODE NAME OUTPUT_BYTES COMMAND...
  { cat "$guest/initrd.img" && "$build/bin/guest_pack" "${@:4}"; } >"$spool/$2.initrd"
  linux_domain "$2" "$3" >"$work/$2.xml"
  on "$1" create "$work/$2.xml"
}

expect_status() { # NAME CODE
  wait_for "$spool/$1.status" '^aliquot-status 1 exit' 120
  printf 'aliquot-status 1 start\naliquot-status 1 exit %s\n' "$2" | cmp -s - "$spool/$1.status" ||
    fail "$1: exit $2 was expected, the status channel says: $(<"$spool/$1.status")"
}

wait_for_end() { # NODE NAME: until its domain has gone
  local deadline=$((SECONDS + 60))
  while on "$1" domstate "$2" 2>/dev/null; do
    ((SECONDS < deadline)) || fail "$2 has not powered off within 60 s"
    sleep 0.1
  done
}

save_and_restore() { # NODE NAME
  on "$1" save "$2" "$spool/$2.save"
  on "$1" restore "$spool/$2.save"
}

move() { # FROM TO NAME
  on "$1" migrate --live --p2p "$3" "qemu+tcp://10.77.0.$((10 + $2))/system"
}
