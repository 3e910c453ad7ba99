//! The CPU quota of the process's control groups (cgroups), versions 1 and 2.
//!
//! A quota holds for a group and its subgroups, so the smallest one counts, from the process's own group up to the root
//! of its mount, in every hierarchy with a CPU controller. Quotas that a container hides remain unknown.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The smallest CPU quota that holds for the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Quota {
    /// The workers that it allows: CPU time per period, rounded up, at least 1.
    pub workers: usize,
    /// The device and inode of the group's folder: processes of one host that name the same share this quota.
    pub group: (u64, u64),
}

/// The process's quota; `None`: it has none. `root` is the prefix of every absolute path: `/`, or a recorded tree.
pub(super) fn limit(root: &Path) -> Option<Quota> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).ok()?;
    let mounts: Vec<Mount> = mounts.lines().filter_map(Mount::parse).collect();
    groups.lines().filter_map(Membership::parse).filter_map(|group| group.limit(root, &mounts)).min()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V1,
    V2,
}

impl Version {
    /// The quota in the files of the group `directory`.
    fn quota(self, directory: &Path) -> Option<Quota> {
        let read = |file: &str| fs::read_to_string(directory.join(file)).ok();
        let workers = match self {
            Version::V1 => whole(read("cpu.cfs_quota_us")?.trim(), read("cpu.cfs_period_us")?.trim()),
            Version::V2 => {
                let text = read("cpu.max")?;
                let (quota, period) = text.trim().split_once(' ')?;
                whole(quota, period)
            }
        }?;
        let group = fs::metadata(directory).map_or((0, 0), |folder| (folder.dev(), folder.ino()));
        Some(Quota { workers, group })
    }
}

/// Quota over period, rounded up. `max` and -1 mean no quota.
fn whole(quota: &str, period: &str) -> Option<usize> {
    let (quota, period): (u64, u64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0).then(|| usize::try_from(quota.div_ceil(period)).unwrap_or(usize::MAX).max(1))
}

/// A mounted cgroup hierarchy.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    version: Version,
    /// The group at the mount point.
    group: String,
    point: String,
}

impl Mount {
    /// Parses a line of `/proc/self/mountinfo`: `36 35 98:0 /group /point options fields - type source options`.
    fn parse(line: &str) -> Option<Mount> {
        let (mount, system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (group, point) = (unescape(mount.next()?), unescape(mount.next()?));
        let mut system = system.split(' ');
        let version = match (system.next()?, system.nth(1)) {
            ("cgroup2", _) => Version::V2,
            ("cgroup", Some(options)) if options.split(',').any(|option| option == "cpu") => Version::V1,
            _ => return None,
        };
        Some(Mount { version, group, point })
    }

    /// The path of `group` relative to the mount point. A group outside the mounted one (in another namespace) counts
    /// as the mounted one.
    fn below<'a>(&self, group: &'a str) -> &'a Path {
        let below = Path::new(group).strip_prefix(&self.group).unwrap_or(Path::new(""));
        let plain = below.components().all(|component| matches!(component, Component::Normal(_)));
        if plain { below } else { Path::new("") }
    }
}

/// The process's group in a hierarchy.
#[derive(Debug, PartialEq, Eq)]
struct Membership<'a> {
    version: Version,
    group: &'a str,
}

impl<'a> Membership<'a> {
    /// Parses a line of `/proc/self/cgroup`: `4:cpu,cpuacct:/group`, or `0::/group` in version 2.
    fn parse(line: &'a str) -> Option<Membership<'a>> {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
        let version = match controllers {
            "" => Version::V2,
            some if some.split(',').any(|controller| controller == "cpu") => Version::V1,
            _ => return None,
        };
        Some(Membership { version, group })
    }

    /// The smallest quota from this group up to the mount point.
    fn limit(&self, root: &Path, mounts: &[Mount]) -> Option<Quota> {
        let mount = mounts.iter().find(|mount| mount.version == self.version)?;
        let point: PathBuf = root.join(mount.point.trim_start_matches('/'));
        let quotas = mount.below(self.group).ancestors().filter_map(|group| self.version.quota(&point.join(group)));
        quotas.min()
    }
}

/// Decodes mountinfo's octal escapes of space, tab, newline and backslash.
fn unescape(field: &str) -> String {
    let mut text = Vec::with_capacity(field.len());
    let mut bytes = field.as_bytes();
    while let [first, rest @ ..] = bytes {
        let code =
            (*first == b'\\').then(|| rest.get(..3)).flatten().and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            text.push(byte);
            bytes = &rest[3..];
        } else {
            text.push(*first);
            bytes = rest;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::scratch;

    const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "25 30 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs ro\n\
        33 25 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
        34 25 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

    #[test]
    fn recorded_trees_give_their_quota() {
        // Description, expected quota, /proc/self/cgroup, /proc/self/mountinfo, other files.
        type Row = (&'static str, Option<usize>, &'static str, &'static str, &'static [(&'static str, &'static str)]);
        #[rustfmt::skip]
        let table: &[Row] = &[
            ("no control groups", None, "", "", &[]),
            ("v2 without a quota", None, "0::/a\n", V2, &[("sys/fs/cgroup/a/cpu.max", "max 100000\n")]),
            ("v2", Some(2), "0::/a\n", V2, &[("sys/fs/cgroup/a/cpu.max", "200000 100000\n")]),
            ("v2 rounded up", Some(3), "0::/a\n", V2, &[("sys/fs/cgroup/a/cpu.max", "200001 100000\n")]),
            ("v2 at least one", Some(1), "0::/a\n", V2, &[("sys/fs/cgroup/a/cpu.max", "1000 100000\n")]),
            ("v2 of an outer group", Some(2), "0::/a/b/c\n", V2, &[("sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n"),
                ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"), ("sys/fs/cgroup/a/cpu.max", "150000 100000\n")]),
            ("v2 of the own group", Some(1), "0::/a/b\n", V2, &[("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n"), ("sys/fs/cgroup/a/cpu.max", "300000 100000\n")]),
            ("v2 in a namespace", Some(4), "0::/\n", V2, &[("sys/fs/cgroup/cpu.max", "400000 100000\n")]),
            ("v2 outside the namespace", Some(4), "0::/../b\n", V2, &[("sys/fs/cgroup/cpu.max", "400000 100000\n"), ("sys/fs/b/cpu.max", "100000 100000\n")]),
            ("v2, a part is mounted", Some(5), "0::/pod/a\n", "30 23 0:26 /pod /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                &[("sys/fs/cgroup/a/cpu.max", "500000 100000\n"), ("sys/fs/cgroup/pod/a/cpu.max", "100000 100000\n")]),
            ("v2, another group is mounted", Some(6), "0::/pod2\n", "30 23 0:26 /pod /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                &[("sys/fs/cgroup/cpu.max", "600000 100000\n")]),
            ("v2, a group that has gone", Some(7), "0::/a/gone (deleted)\n", V2, &[("sys/fs/cgroup/a/cpu.max", "700000 100000\n")]),
            ("v2, a mount point with a space", Some(2), "0::/\n", "30 23 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n", &[("my groups/cpu.max", "200000 100000\n")]),
            ("v2, an unknown form", None, "0::/a\n", V2, &[("sys/fs/cgroup/a/cpu.max", "lots\n")]),
            ("v2, no period", None, "0::/a\n", V2, &[("sys/fs/cgroup/a/cpu.max", "100000 0\n")]),
            ("v1", Some(3), "5:cpuset:/x\n4:cpu,cpuacct:/a\n", V1, &[("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n"), ("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n")]),
            ("v1 without a quota", None, "4:cpu,cpuacct:/a\n", V1, &[("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n"), ("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n")]),
            ("v1 of an outer group", Some(2), "4:cpu,cpuacct:/a/b\n", V1, &[("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n"), ("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"),
                ("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "100001\n"), ("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n")]),
            ("v1 has no cpu controller here", None, "5:cpuset:/a\n", V1, &[("sys/fs/cgroup/cpuset/a/cpu.cfs_quota_us", "100000\n"), ("sys/fs/cgroup/cpuset/a/cpu.cfs_period_us", "100000\n")]),
            ("both, the smaller wins", Some(2), "4:cpu:/a\n0::/a\n", "33 25 0:30 / /one rw - cgroup cgroup rw,cpu\n38 31 0:37 / /two rw - cgroup2 cgroup2 rw\n",
                &[("one/a/cpu.cfs_quota_us", "400000\n"), ("one/a/cpu.cfs_period_us", "100000\n"), ("two/a/cpu.max", "200000 100000\n")]),
        ];
        for (what, expected, groups, mounts, files) in table {
            let tree = scratch(&[&[("proc/self/cgroup", *groups), ("proc/self/mountinfo", *mounts)], *files].concat());
            assert_eq!(limit(&tree).map(|quota| quota.workers), *expected, "{what}");
        }
    }

    #[test]
    fn a_missing_proc_is_no_quota() {
        let tree = scratch(&[("nothing", "")]);
        assert_eq!(limit(&tree), None);
    }
}
