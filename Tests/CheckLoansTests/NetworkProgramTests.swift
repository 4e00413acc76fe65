import System
import Testing

/// What `/proc/self/mountinfo` says of a file system of FUSE, see proc(5).
struct NetworkProgramTests {
  /// With and without optional fields, some mounted twice.
  private static let mounts = """
    24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
    61 24 0:28 / /mnt/a\\040b rw,nosuid shared:5 master:2 - fuse.sshfs desk@host:/ rw,user_id=0
    62 24 0:29 / /mnt/c rw - fuse.gocryptfs /srv/c rw
    63 24 0:30 / /mnt/d rw shared:7 - fuse.glusterfs host:/volume rw
    64 24 0:30 /desk /mnt/e rw shared:7 - fuse.glusterfs host:/volume rw
    65 24 0:31 / /mnt/f rw shared:8 - fuseblk /dev/sdb1 rw
    66 24 0:32 / /mnt/g rw shared:9 - fuse https://host/dav rw
    67 24 0:34 / /mnt/h rw - fuse bindfs rw
    68 24 0:35 / /mnt/i rw -
    """

  @Test(
    arguments: [
      (28, "sshfs"), (29, nil), (30, "glusterfs"), (31, nil), (32, "FUSE"), (33, nil), (34, nil),
      (35, nil), (2, nil),
    ] as [(UInt32, String?)])
  func `A program that gets files from other hosts is one of a network`(
    minor: UInt32, name: String?
  ) {
    #expect(FileSystem.networkProgram(ofDevice: (0, minor), in: Self.mounts) == name)
  }
}
