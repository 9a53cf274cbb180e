# guest-root.sh IMAGE JAVA PATH...: makes, in the testbed's folder, `movable.initrd`: an initial file system with all that guests
# have which move. QEMU moves none that has mounted a folder by 9p, so these have copies, in memory: commands of some packages
# of this machine with the libraries that they need, the image's layer, this JDK, and some more files or folders.
set -eu
umask 022
image=$1 java=$2
shift 2
cd /run/testbed
mkdir root root/usr
for folder in bin sbin lib lib64; do # all Debian's have these in usr/
  mkdir "root/usr/$folder"
  ln -s "usr/$folder" "root/$folder"
done
{
  dpkg -L bash dash coreutils util-linux mount procps iproute2 grep sed findutils hostname | grep -E '^(/usr)?/s?bin/.'
  echo /usr/sbin/sshd
  find -L "$java/bin/java" "$java/release" "$java/lib" "$java/conf" -type f ! -name src.zip ! -name '*.debuginfo'
} >programs
{
  find "$image/layer" -type f -name '*.so*' | cat programs - | LD_LIBRARY_PATH=$image/layer/usr/lib/x86_64-linux-gnu xargs ldd 2>/dev/null |
    sed -n 's/^[^/]*\(\/[^ ]*\) (0x.*/\1/p' | sed 's,/[^/]*/\.\./,/,' | grep -v "^$image/" | sort -u
  for library in /lib/x86_64-linux-gnu/libgcc_s.so.1; do [ ! -e "$library" ] || echo "$library"; done
  for file in passwd group nsswitch.conf protocols services; do [ ! -e "/etc/$file" ] || echo "/etc/$file"; done
  cat programs
  [ $# = 0 ] || find -L "$@" -type f
} >files
tar -c --dereference --hard-dereference --absolute-names -T files --transform 's,^/\(bin\|sbin\|lib\|lib64\)/,/usr/\1/,' --transform 's,^/,,' |
  tar -x -C root
cp -a "$image/layer/." root/
ln -sf "$java/bin/java" root/usr/bin/java
mkdir -p root/proc root/sys root/dev root/tmp root/root root/var/empty root/run/sshd
mkdir -m 700 root/run/testbed
cp -p hosts resolv.conf shadow sshd_config ssh_config known_hosts id id.pub -- *.key *.key.pub root/run/testbed/
cat >root/init <<'END'
#!/bin/sh
export PATH=/usr/sbin:/usr/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
modprobe virtio_pci
exec /usr/sbin/guest
END
chmod 755 root/init
(cd root && find . | "$image/layer/usr/bin/busybox" cpio -o -H newc 2>/dev/null) >movable.initrd
rm -rf root programs files
