# Fresh machines for scripts: a minimal Debian in a folder, made by debootstrap from the mirror that the
# apt of this machine uses. Needs root. To be sourced by a script whose name is $0.
#
#   make_machine RELEASE FOLDER [PACKAGE...]   anew; with these packages
#   in_machine FOLDER COMMAND...               runs the command in it, as root
#   remove_machine FOLDER
#
# CALQUE_MACHINES names a folder that keeps a copy of each kind of machine, without which each is made
# by debootstrap and apt-get.

require_machines() {
  [ "$(id -u)" = 0 ] || { echo "$0: run as root, which chroot needs" >&2; exit 1; }
  command -v debootstrap >/dev/null || { echo "$0: install debootstrap" >&2; exit 1; }
}

unmount_machine() {
  local mounted
  for mounted in proc sys dev; do
    mountpoint -q "$1/$mounted" && umount -l "$1/$mounted"
  done
  return 0
}

remove_machine() {
  unmount_machine "$1"
  rm -rf "$1"
}

debian_mirror() {
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' |
    head -n 1
}

in_machine() {
  local machine=$1
  shift
  env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive chroot "$machine" "$@"
}

make_machine() {
  local release=$1 machine=$2 kept=
  shift 2
  remove_machine "$machine"
  mkdir -p "$machine"
  if [ -n "${CALQUE_MACHINES:-}" ]; then
    mkdir -p "$CALQUE_MACHINES"
    kept=$CALQUE_MACHINES/$release-$(echo "$*" | cksum | cut -d ' ' -f 1).tar
  fi
  if [ -n "$kept" ] && [ -f "$kept" ]; then
    tar -x -f "$kept" -C "$machine" --numeric-owner
  else
    # shellcheck disable=SC2046
    debootstrap --variant=minbase --include=ca-certificates "$release" "$machine" $(debian_mirror) >/dev/null
  fi
  cp /etc/resolv.conf "$machine/etc/resolv.conf"
  mount -t proc proc "$machine/proc"
  mount -t sysfs sysfs "$machine/sys"
  mount --rbind /dev "$machine/dev"
  mount --make-rslave "$machine/dev"
  if [ -n "$kept" ] && [ -f "$kept" ]; then return; fi
  if [ $# -gt 0 ]; then
    in_machine "$machine" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@"' \
      sh "$@" >/dev/null
  fi
  if [ -n "$kept" ]; then
    tar -c -f "$kept.part" --one-file-system -C "$machine" --exclude=./proc/* --exclude=./sys/* \
      --exclude=./dev/* --numeric-owner .
    mv "$kept.part" "$kept"
  fi
}
