//! The memory that the cgroup of this process allows. Only Linux has them.
//!
//! A group has at most the memory of each group above it, so the least limit on the way up counts. Both versions of
//! cgroups are read, at the places where they are mounted.

use std::path::{Path, PathBuf};

/// Version 1 states a number of about 2^63 if there is no limit.
const UNLIMITED: u64 = 1 << 60;

/// The limit in bytes. `None` if there is no limit, or if the system does not tell.
pub fn memory_limit() -> Option<u64> {
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let mounts = read(Path::new("/proc/self/mountinfo"))?;
    least_limit(&groups, &mounts, read)
}

/// The least limit of the groups that `groups` names, in the form of `/proc/self/cgroup`. `mounts` has the form of
/// `/proc/self/mountinfo`.
fn least_limit(groups: &str, mounts: &str, read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    mounts.lines().filter_map(Mount::parse).filter_map(|mount| mount.limit(groups, &read)).min()
}

/// A mounted hierarchy that limits memory.
struct Mount {
    /// The group at the place where it is mounted.
    root: PathBuf,
    place: PathBuf,
    is_version_2: bool,
}

impl Mount {
    fn parse(line: &str) -> Option<Self> {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, place) = (place.next()?, place.next()?);
        let mut kind = kind.split(' ');
        let (name, options) = (kind.next()?, kind.nth(1).unwrap_or_default());
        let is_version_2 = name == "cgroup2";
        let is_memory = name == "cgroup" && options.split(',').any(|option| option == "memory");
        let found = is_version_2 || is_memory;
        found.then(|| Self { root: root.into(), place: place.into(), is_version_2 })
    }

    /// The path of the group of this process in this hierarchy.
    fn group<'a>(&self, groups: &'a str) -> Option<&'a Path> {
        groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            let is_this = match self.is_version_2 {
                true => controllers.is_empty(),
                false => controllers.split(',').any(|controller| controller == "memory"),
            };
            is_this.then_some(Path::new(path))
        })
    }

    fn limit(&self, groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
        let file = if self.is_version_2 { "memory.max" } else { "memory.limit_in_bytes" };
        let group = self.group(groups)?;
        // In a container the path may be that of another view. The group at the mount is then the nearest one.
        let inside = group.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let folders = inside.ancestors().map(|folder| self.place.join(folder));
        let limits = folders.filter_map(|folder| read(&folder.join(file))?.trim().parse::<u64>().ok());
        limits.filter(|&limit| limit < UNLIMITED).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2: &str = "25 20 0:22 / /sys rw - sysfs sysfs rw\n30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
    const V1: &str = "31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n33 25 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

    fn limit(groups: &str, mounts: &str, files: &[(&str, &str)]) -> Option<u64> {
        least_limit(groups, mounts, |path| {
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
        })
    }

    #[test]
    fn the_least_limit_on_the_way_up_counts() {
        let groups = "0::/system.slice/backup.service\n";
        let own = ("/sys/fs/cgroup/system.slice/backup.service/memory.max", "max\n");
        let parent = ("/sys/fs/cgroup/system.slice/memory.max", "1073741824\n");
        assert_eq!(limit(groups, V2, &[own, parent]), Some(1 << 30));
        let own = (own.0, "536870912\n");
        assert_eq!(limit(groups, V2, &[own, parent]), Some(1 << 29));
        assert_eq!(limit(groups, V2, &[own, (parent.0, "1000\n")]), Some(1000));
        assert_eq!(limit(groups, V2, &[(own.0, "max\n")]), None);
        assert_eq!(limit(groups, V2, &[]), None);
    }

    #[test]
    fn version_1_has_a_hierarchy_for_memory() {
        let groups = "5:cpu,cpuacct:/a\n4:memory:/docker/x\n0::/y\n";
        let own = "/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes";
        assert_eq!(limit(groups, V1, &[(own, "268435456\n")]), Some(1 << 28));
        assert_eq!(limit(groups, V1, &[(own, "9223372036854771712\n")]), None);
        // Both versions at the same time: the hybrid hierarchy.
        let other = ("/sys/fs/cgroup/y/memory.max", "4096\n");
        assert_eq!(limit(groups, &[V1, V2].concat(), &[(own, "268435456\n"), other]), Some(4096));
    }

    #[test]
    fn a_container_sees_its_own_group_at_the_mount() {
        let mounts = "30 25 0:26 /docker/x /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        let files = [("/sys/fs/cgroup/memory.max", "4096\n")];
        assert_eq!(limit("0::/docker/x\n", mounts, &files), Some(4096));
        assert_eq!(limit("0::/../other\n", mounts, &files), Some(4096));
        assert_eq!(limit("0::/\n", mounts, &files), Some(4096));
        assert_eq!(limit("not a group", "not a mount", &files), None);
    }
}
