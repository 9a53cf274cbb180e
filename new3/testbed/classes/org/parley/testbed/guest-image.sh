# guest-image.sh CACHE: makes what guests boot from, out of packages of Debian's archive, and prints the folder of it.
# Packages are fetched and unpacked once, into CACHE, none is installed: guests lay them over this machine's root.
# Ends with code 3 where this machine cannot have guests; with no more than the reason on standard error.
set -eu
umask 022
here=$(cd -P -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1/debs" "$1/images"
cache=$(cd -P -- "$1" && pwd)
log=$cache/build.log

# guests LAYER: packages of which guests need the libraries and commands, if this machine has none
layer_packages='libibverbs1 ibverbs-providers ibverbs-utils librdmacm1 libnl-3-200 libnl-route-3-200 busybox-static'
boot_modules='virtio_pci 9pnet_virtio 9p overlay'
modules='virtio_net vmxnet3 virtio-rng ib_uverbs rdma_ucm rdma_rxe crc32_generic crc32-pclmul'

lacks() {
  echo "$*" >&2
  exit 3
}

# fetch PACKAGE...: into debs/, unless they are there; apt checks them by the archive's signed lists. A mirror may stumble.
fetch() {
  wanted=
  for package; do
    set -- "$cache/debs/${package}_"*.deb
    [ -e "$1" ] || wanted="$wanted $package"
  done
  [ -n "$wanted" ] || return 0
  for pause in 2 10 0; do
    # shellcheck disable=SC2086  # words
    (cd "$cache/debs" && apt-get download -q $wanted) </dev/null >>"$log" 2>&1 && return
    [ "$(id -u)" != 0 ] || apt-get update -q </dev/null >>"$log" 2>&1 || :
    sleep "$pause"
  done
  lacks "guests need Debian's packages$wanted, which cannot be fetched: $(grep '^E: ' "$log" | tail -n 1)"
}

unpack() { dpkg -x "$cache/debs/${2}_"*.deb "$1"; }

# copy_modules FROM TO NAME...: modules with those that they need
copy_modules() {
  from=$1 to=$2
  shift 2
  mkdir -p "$to"
  cp "$from"/modules.order "$from"/modules.builtin "$from"/modules.builtin.modinfo "$to"
  for name; do
    grep -q "/$name\.ko:" "$from/modules.dep" || lacks "guests need the kernel module $name, which linux-image-$release has not"
    sed -n "s|^\([^:]*/$name\.ko\): *|\1 |p" "$from/modules.dep"
  done | tr ' ' '\n' | sed '/^$/d' | sort -u | tar -c -C "$from" -T - | tar -x -C "$to"
}

# The newest kernel of those for which packages are here, or can be had.
kernel_release() {
  for deb in "$cache"/debs/linux-image-*.deb; do
    if [ -e "$deb" ]; then
      release=${deb##*/linux-image-}
      echo "${release%%_*}"
      return
    fi
  done
  for attempt in 1 2; do
    release=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/.*Depends: linux-image-\([0-9][^ ]*\).*/\1/p' | head -n 1)
    [ -z "$release" ] || break
    [ "$attempt$(id -u)" != 10 ] || apt-get update -q </dev/null >>"$log" 2>&1 || :
  done
  echo "$release"
}

# The driver of PVRDMA, which Debian's kernel is built without, and what lets QEMU's device run without RDMA here.
build_pvrdma() {
  qemu-system-x86_64 -device help 2>/dev/null | grep -q '"pvrdma"' || { echo "this QEMU has no pvrdma device (7.2 to 9.0 have)"; return; }
  command -v gcc >/dev/null && command -v make >/dev/null || { echo "gcc and make are needed to build the driver of PVRDMA"; return; }
  series=${release%%.*}.$(echo "$release" | cut -d. -f2)
  sources=$cache/vmw_pvrdma-$release
  kbuild=$cache/kbuild-$release
  if [ ! -d "$sources" ]; then
    common=linux-headers-$(echo "$release" | sed 's/-amd64$//')-common
    fetch "linux-headers-$release" "$common" "linux-kbuild-$series" "linux-source-$series"
    rm -rf "$kbuild"
    for package in "linux-headers-$release" "$common" "linux-kbuild-$series"; do unpack "$kbuild" "$package"; done
    echo "include $kbuild/usr/src/$common/Makefile" >"$kbuild/usr/src/linux-headers-$release/Makefile"
    rm -rf "$sources.new"
    mkdir "$sources.new"
    dpkg --fsys-tarfile "$cache/debs/linux-source-${series}_"*.deb |
      tar -xO "./usr/src/linux-source-$series.tar.xz" | xz -dc |
      tar -x -C "$sources.new" --strip-components=5 "linux-source-$series/drivers/infiniband/hw/vmw_pvrdma"
    make -C "$kbuild/usr/src/linux-headers-$release" M="$sources.new" CC=gcc CONFIG_INFINIBAND_VMWARE_PVRDMA=m modules \
      </dev/null >>"$log" 2>&1 || { echo "the driver of PVRDMA does not compile; see $log"; return; }
    mv "$sources.new" "$sources"
    rm -rf "$kbuild" "$cache/debs/linux-source-"*.deb "$cache/debs/linux-headers-"*.deb "$cache/debs/linux-kbuild-"*.deb
  fi
  cp "$sources/vmw_pvrdma.ko" "$new/tree/lib/modules/$release/"
  fetch libibverbs-dev
  unpack "$new/dev" libibverbs-dev
  gcc -O2 -Wall -shared -fPIC -I"$new/dev/usr/include" -o "$new/fabric.so" "$here/guest-fabric.c" -lpthread >>"$log" 2>&1 ||
    echo "guest-fabric.c does not compile; see $log"
  rm -rf "$new/dev"
}

build() {
  [ -e /etc/debian_version ] && command -v apt-get >/dev/null || lacks "guests need Debian's packages, and this is no Debian"
  : >"$log"
  release=$(kernel_release)
  [ -n "$release" ] || lacks "guests need Debian's kernel, linux-image-amd64, which this machine's package lists do not have"
  # shellcheck disable=SC2086  # words
  fetch "linux-image-$release" $layer_packages
  rm -rf "$new"
  mkdir -p "$new/layer/usr/bin" "$new/layer/usr/sbin" "$new/boot/bin"

  for package in $layer_packages; do unpack "$new/unpacked" "$package"; done
  for folder in bin sbin lib; do # Debian's root has these three in usr/
    [ ! -d "$new/unpacked/$folder" ] || cp -a "$new/unpacked/$folder" "$new/layer/usr/"
  done
  cp -a "$new/unpacked/usr" "$new/unpacked/etc" "$new/layer/"
  rm -rf "$new/unpacked" "$new/layer/usr/share"
  install -m 755 "$here/guest.sh" "$new/layer/usr/sbin/guest"
  for command in modprobe depmod insmod; do ln -s ../bin/busybox "$new/layer/usr/sbin/$command"; done
  busybox=$new/layer/usr/bin/busybox
  cp "$busybox" "$new/boot/bin/"
  install -m 755 "$here/guest-init.sh" "$new/boot/init"

  unpack "$new/kernel" "linux-image-$release"
  from=$new/kernel/lib/modules/$release
  "$busybox" depmod -b "$new/kernel" "$release"
  # shellcheck disable=SC2086  # words
  copy_modules "$from" "$new/boot/lib/modules/$release" $boot_modules
  # shellcheck disable=SC2086  # words
  copy_modules "$from" "$new/tree/lib/modules/$release" $boot_modules $modules
  build_pvrdma >"$new/pvrdma.lacks"
  "$busybox" depmod -b "$new/boot" "$release"
  "$busybox" depmod -b "$new/tree" "$release"
  mkdir -p "$new/layer/usr/lib"
  mv "$new/tree/lib/modules" "$new/layer/usr/lib/"
  mv "$new/kernel/boot/vmlinuz-$release" "$new/vmlinuz"
  (cd "$new/boot" && find . | "$busybox" cpio -o -H newc 2>/dev/null) >"$new/initrd"
  rm -rf "$new/boot" "$new/kernel" "$new/tree"
  mv "$new" "$image"
}

exec 9>"$cache/.lock"
flock 9
image=$cache/images/$(cat "$here"/guest*.sh "$here"/guest*.c | sha256sum | cut -c 1-16)
new=$image.new
[ -d "$image" ] || build
touch "$image"
# What no checkout has used for a month.
find "$cache/images" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
echo "$image"
