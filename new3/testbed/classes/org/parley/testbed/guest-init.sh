#!/bin/busybox sh
# A guest's /init in its initial file system: lays the image's layer and a memory disk over the host's root, and goes there.
# Mounts by 9p: the host's root and the layer never change as far as a guest knows; the folder of the testbed is live.
b=/bin/busybox
$b mkdir -p /proc /sys /dev /host /layer /memory /new /sbin
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
$b --install -s /bin
export PATH=/bin
fail() {
  echo "guest: $*"
  poweroff -f
}
modprobe -a virtio_pci 9pnet_virtio 9p overlay || fail "modules are missing"
options=trans=virtio,version=9p2000.L,msize=524288
mount -t 9p -o "$options,cache=loose,ro" root /host || fail "cannot mount the host's root"
mount -t 9p -o "$options,cache=loose,ro" layer /layer || fail "cannot mount the layer"
mount -t tmpfs -o mode=755 memory /memory
mkdir /memory/upper /memory/work
mount -t overlay -o lowerdir=/layer:/host,upperdir=/memory/upper,workdir=/memory/work overlay /new || fail "cannot overlay"
mount --move /proc /new/proc
mount --move /sys /new/sys
mount --move /dev /new/dev
mount -t tmpfs -o mode=755 run /new/run
mkdir -m 755 /new/run/sshd
mkdir -m 700 /new/run/testbed
mount -t 9p -o "$options,cache=none" testbed /new/run/testbed || fail "cannot mount the testbed's folder"
exec switch_root /new /usr/sbin/guest
