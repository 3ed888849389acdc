//! The memory that this process may use, and the control groups that limit it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::instant::Instant;

/// The system is not asked again for its memory until this time has passed.
const FRESH: Duration = Duration::from_secs(1);

/// The memory that a process may use, and the control groups that limit it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryLimit {
    /// The memory of the machine, in bytes.
    pub machine: u64,
    /// The control groups that allow less than the machine has. Of nested groups, the inner one comes first.
    pub groups: Vec<GroupLimit>,
}

/// The memory that a control group allows to all processes in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupLimit {
    /// The file from which the limit was read.
    pub file: PathBuf,
    /// The version of control groups: 1 or 2.
    pub version: u8,
    /// The bytes that the group allows.
    pub bytes: u64,
}

impl MemoryLimit {
    /// The control group that allows the least. If several allow the same, it is the innermost. `None` if no group
    /// allows less than the machine has.
    pub fn binding(&self) -> Option<&GroupLimit> {
        self.groups.iter().min_by_key(|group| group.bytes)
    }

    /// The bytes that a process may use.
    pub fn bytes(&self) -> u64 {
        self.binding().map_or(self.machine, |group| group.bytes)
    }
}

/// The bytes of memory that the machine has, or that the control groups of this process allow if that is less.
///
/// # Examples
///
/// ```
/// assert!(puzzlekit_core::memory_bytes() > 1 << 20);
/// ```
pub fn memory_bytes() -> u64 {
    memory_limit().bytes()
}

/// A number of bytes as a text for people, such as `1.5 GiB`.
pub(crate) fn in_words(bytes: u64) -> String {
    let unit = (bytes.max(1).ilog2() / 10).min(4);
    if unit == 0 {
        return format!("{bytes} bytes");
    }
    format!(
        "{:.1} {}",
        bytes as f64 / f64::from(1 << (10 * (unit - 1))) / 1024.0,
        ["KiB", "MiB", "GiB", "TiB"][unit as usize - 1]
    )
}

/// The memory that this process may use, and the control groups that limit it. A process of 32 bits has addresses for
/// at most 2 GiB. The system is asked once a second at most: its answer takes nearly as long as that of a small board.
///
/// # Examples
///
/// ```
/// let limit = puzzlekit_core::memory_limit();
/// assert_eq!(limit.bytes(), puzzlekit_core::memory_bytes());
/// assert!(limit.bytes() <= limit.machine);
/// ```
pub fn memory_limit() -> MemoryLimit {
    static FOUND: Mutex<Option<(Instant, MemoryLimit)>> = Mutex::new(None);
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, limit)) = found.as_ref().filter(|(at, _)| at.elapsed() < FRESH) {
        return limit.clone();
    }
    let limit = limit_of(Path::new("/"), of_machine(machine(), isize::MAX as u64));
    *found = Some((Instant::now(), limit.clone()));
    limit
}

/// The memory of the machine in bytes, or 0 if the system does not know it, such as a page in a browser.
#[cfg(any(target_os = "linux", target_os = "emscripten"))]
fn machine() -> u64 {
    std::fs::read_to_string("/proc/meminfo").map_or(0, |text| in_all(&text))
}

/// The memory of the machine in bytes, or 0 if the system does not know it.
#[cfg(not(any(target_os = "linux", target_os = "emscripten")))]
fn machine() -> u64 {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};
    System::new_with_specifics(RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()))
        .total_memory()
}

/// The memory of a machine in bytes, by the text of `/proc/meminfo`. It has a line such as `MemTotal: 16384 kB`, whose
/// unit is 1,024 bytes in all versions of Linux. 0 if there is no such line.
#[cfg(any(test, target_os = "linux", target_os = "emscripten"))]
fn in_all(text: &str) -> u64 {
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
    total.and_then(|kibibytes| kibibytes.parse().ok()).map_or(0, |kibibytes: u64| kibibytes.saturating_mul(1024))
}

/// The bytes that one process can use on a machine with `total` bytes, if it can address `addressed` bytes. A system
/// that does not know its memory, such as a page in a browser, gives 0 as `total`; then `addressed` is the answer. For
/// a process of 32 bits that is 2 GiB, the size of the largest allocation, and what Emscripten gives to a page by
/// default.
fn of_machine(total: u64, addressed: u64) -> u64 {
    if total == 0 { addressed } else { total.min(addressed) }
}

/// The limits of this process, with files that are read below the folder `root` instead of `/`.
///
/// Control groups are nested, and each limits all processes in it and in its inner groups. So the limits of all groups
/// count, from the group of the process up to the outermost one that is visible. See the manual page `cgroups(7)`:
/// `/proc/self/cgroup` has a line `number:controllers:path` for each hierarchy, and `/proc/self/mountinfo` has the
/// folder in which it is mounted.
fn limit_of(root: &Path, machine: u64) -> MemoryLimit {
    let mut limit = MemoryLimit { machine, groups: Vec::new() };
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    let (groups, mounts) = (read("proc/self/cgroup"), read("proc/self/mountinfo"));
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
        let hierarchy = match controllers {
            "" => &UNIFIED,
            some if some.split(',').any(|controller| controller == "memory") => &MEMORY,
            _ => continue,
        };
        let (mount, below) = hierarchy.mount(&mounts, group);
        // If the path leads out of the mounted folder, the group cannot be seen. Then only the outermost visible group
        // counts.
        let below = if below.split('/').any(|name| name == "..") { "" } else { below.trim_matches('/') };
        let top = root.join(mount.trim_start_matches('/'));
        let own = top.join(below);
        for group in own.ancestors().take_while(|group| group.starts_with(&top)) {
            let file = group.join(hierarchy.file);
            // The file of a group without a limit has the word `max`, or a number that exceeds the memory of any
            // machine.
            let allowed = std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u64>().ok());
            if let Some(bytes) = allowed.filter(|&bytes| bytes < machine) {
                limit.groups.push(GroupLimit { file, version: hierarchy.version, bytes });
            }
        }
    }
    limit
}

/// One of the two kinds of hierarchies of control groups.
struct Hierarchy {
    /// The version of control groups.
    version: u8,
    /// The type of file system under which the hierarchy is mounted.
    kind: &'static str,
    /// A name that must be among the options of the mount; `None` if any options will do.
    option: Option<&'static str>,
    /// The folder in which the hierarchy is usually mounted.
    custom: &'static str,
    /// The name of the file that has the limit of a group.
    file: &'static str,
}

/// Version 2: all controllers share one tree of groups.
const UNIFIED: Hierarchy =
    Hierarchy { version: 2, kind: "cgroup2", option: None, custom: "/sys/fs/cgroup", file: "memory.max" };

/// Version 1: the memory controller has a tree of groups of its own.
const MEMORY: Hierarchy = Hierarchy {
    version: 1,
    kind: "cgroup",
    option: Some("memory"),
    custom: "/sys/fs/cgroup/memory",
    file: "memory.limit_in_bytes",
};

impl Hierarchy {
    /// The folder in which the hierarchy is mounted, and the path of a group below that folder.
    ///
    /// A line of `mounts` is `36 35 0:30 /root /mounted/here options ... - kind device options`. In a container, the
    /// mounted root may be the container's own group. Then the path of the group begins with that root, which is cut
    /// off.
    fn mount<'a>(&self, mounts: &'a str, group: &'a str) -> (&'a str, &'a str) {
        let find = |line: &'a str| {
            let (here, there) = line.split_once(" - ")?;
            let (mut here, mut there) = (here.split(' ').skip(3), there.split(' '));
            let (top, place) = (here.next()?, here.next()?);
            let (kind, options) = (there.next()?, there.nth(1)?);
            let named = self.option.is_none_or(|option| options.split(',').any(|given| given == option));
            (kind == self.kind && named).then_some((top, place))
        };
        match mounts.lines().find_map(find) {
            Some((top, place)) => (place, group.strip_prefix(top.trim_end_matches('/')).unwrap_or("")),
            None => (self.custom, group),
        }
    }
}

/// Gives freed memory back to the system. Otherwise, after large lists were dropped, the allocator of Linux keeps much
/// more memory than is in use.
pub(crate) fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: any thread may call it at any time, and it frees only memory that is not in use.
        #[expect(unsafe_code, reason = "the allocator has no safe interface")]
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

/// The C library of Linux takes lists of so many bytes fresh from the system, which fills them with zeros. Smaller ones
/// may lie in memory that was used before.
const FRESH_BYTES: usize = 32 << 20;

/// A list of `count` equal items, all of whose pages are provided before it is written.
#[inline(never)]
pub fn filled<T: Clone>(item: T, count: usize) -> Vec<T> {
    filled_unless_fresh(item, count, FRESH_BYTES)
}

/// Does what [`filled`] does. Lists of `fresh` bytes or more are not written if they are of zeros.
fn filled_unless_fresh<T: Clone>(item: T, count: usize, fresh: usize) -> Vec<T> {
    if count * size_of::<T>() >= fresh {
        let mut list = vec![item; count];
        on_large_pages(&mut list);
        provide_pages(&mut list);
        return list;
    }
    let mut list = Vec::with_capacity(count);
    on_large_pages(list.spare_capacity_mut());
    provide_pages(list.spare_capacity_mut());
    list.resize(count, item);
    list
}

/// Gives a list room for `more` items. If it has to grow, it at least doubles its room, on large pages.
#[inline(never)]
pub fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve(more);
        on_large_pages(list.spare_capacity_mut());
    }
}

/// Empties a list, and gives it room for `most` items. Its memory is used again, unless there is much too much of it:
/// an earlier depth may have been much larger.
#[inline(never)]
pub fn empty<T>(list: &mut Vec<T>, most: usize) {
    if (most..=most * 4).contains(&list.capacity()) {
        list.clear();
    } else {
        *list = Vec::new();
        list.reserve_exact(most);
        on_large_pages(list.spare_capacity_mut());
    }
}

/// Asks the system for all pages of some memory at once, because all of them will be written soon. Otherwise the system
/// stops the program at the first write to each page, and that takes longer.
pub fn provide_pages<T>(memory: &mut [T]) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    Advice::Provide.give(memory.as_mut_ptr().cast(), size_of_val(memory));
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = memory;
}

/// Asks the system to put memory on large pages, if it has any. A program that reads here and there waits less
/// often for the place of a large page. This changes only the speed.
pub fn on_large_pages<T>(memory: &mut [T]) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    Advice::LargePages.give(memory.as_mut_ptr().cast(), size_of_val(memory));
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = memory;
}

/// Advice to the system about pages of memory. None changes what the pages hold, or those of others.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[derive(Clone, Copy)]
enum Advice {
    /// Provide the pages now.
    Provide,
    /// Put the memory on large pages.
    LargePages,
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
impl Advice {
    /// Gives the advice about the pages that lie wholly in some memory, if there are enough. A system that does not
    /// know the advice refuses it.
    #[inline(never)]
    fn give(self, memory: *mut u8, bytes: usize) {
        let (page, fewest, advice) = match self {
            Self::Provide => (4 << 10, 4, libc::MADV_POPULATE_WRITE),
            Self::LargePages => (2 << 20, 1, libc::MADV_HUGEPAGE),
        };
        let begin = memory.addr().next_multiple_of(page);
        let bytes = (memory.addr() + bytes).saturating_sub(begin) / page * page;
        if bytes >= fewest * page {
            // SAFETY: no advice changes what memory holds, even if the system's pages are larger.
            #[expect(unsafe_code, reason = "there is no safe interface")]
            unsafe {
                libc::madvise(memory.with_addr(begin).cast(), bytes, advice);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn advice_leaves_memory_as_it_is() {
        let mut memory: Vec<u8> = (0..9 << 20).map(|at| (at % 251) as u8).collect();
        let before = memory.clone();
        provide_pages(&mut memory[1..]);
        provide_pages(&mut memory[5..30_000]);
        provide_pages::<u8>(&mut []);
        assert_eq!(memory, before);
        let mut memory: Vec<MaybeUninit<u8>> = memory.into_iter().map(MaybeUninit::new).collect();
        on_large_pages(&mut memory[1..]);
        // SAFETY: all bytes were written.
        #[expect(unsafe_code, reason = "the advice is about memory that may not be written yet")]
        let after: Vec<u8> = memory.iter().map(|byte| unsafe { byte.assume_init() }).collect();
        assert_eq!(after, before);
    }

    #[test]
    fn an_emptied_list_keeps_up_to_four_times_the_memory_that_it_needs() {
        let mut list = Vec::with_capacity(400);
        for (most, capacity) in [(400, 400), (100, 400), (99, 99), (100, 100), (0, 0)] {
            list.resize(list.capacity(), 3);
            empty(&mut list, most);
            assert_eq!((list.len(), list.capacity()), (0, capacity), "room for {most} items");
        }
    }

    #[test]
    fn lists_are_filled_and_have_room() {
        for count in [0, 1, 5_000, 1 << 20] {
            for fresh in [0, usize::MAX] {
                assert_eq!(filled_unless_fresh(7u32, count, fresh), vec![7; count]);
                assert_eq!(filled_unless_fresh(0u64, count, fresh), vec![0; count]);
            }
            let mut list: Vec<usize> = (0..count).collect();
            make_room(&mut list, 3 * count);
            assert!(list.capacity() >= 4 * count && list.iter().copied().eq(0..count));
            let place = list.as_ptr();
            make_room(&mut list, count);
            assert_eq!((list.as_ptr(), list.len()), (place, count), "there was room");
        }
    }

    /// The limits that a tree of files describes, for a machine of 16 GiB. Paths are relative to the tree.
    fn found(name: &str, files: &[(&str, &str)]) -> MemoryLimit {
        let root = std::env::temp_dir().join(format!("puzzlekit-memory-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut limit = limit_of(&root, 16 * GIB);
        for group in &mut limit.groups {
            group.file = group.file.strip_prefix(&root).unwrap().to_owned();
        }
        let _ = std::fs::remove_dir_all(&root);
        limit
    }

    /// The smallest limit that a tree of files describes, for a machine of 16 GiB; and the file that has it, which is
    /// `None` if no group allows less than the machine has.
    fn limit(name: &str, files: &[(&str, &str)]) -> (u64, Option<String>) {
        let limit = found(name, files);
        (limit.bytes(), limit.binding().map(|group| group.file.to_str().unwrap().to_owned()))
    }

    #[test]
    fn what_has_no_address_is_no_memory() {
        let addressed_by_32_bits = i32::MAX as u64;
        assert_eq!(of_machine(16 * GIB, addressed_by_32_bits), 2 * GIB - 1);
        assert_eq!(of_machine(GIB, addressed_by_32_bits), GIB);
        assert_eq!(of_machine(0, addressed_by_32_bits), 2 * GIB - 1, "a system that does not say");
        assert_eq!(of_machine(16 * GIB, i64::MAX as u64), 16 * GIB);
    }

    #[test]
    fn linux_tells_the_memory_of_the_machine() {
        let text = "MemFree:         1234 kB\nMemTotal:       16777216 kB\nSwapTotal:             0 kB\n";
        assert_eq!(in_all(text), 16 * GIB);
        for text in ["", "MemTotal:", "MemTotal: many kB", "MemFree: 1 kB"] {
            assert_eq!(in_all(text), 0, "{text:?}");
        }
        assert!(machine() > GIB / 16, "this machine");
    }

    #[test]
    fn without_control_groups_the_machine_counts() {
        assert_eq!(limit("none", &[]), (16 * GIB, None));
    }

    #[test]
    fn the_smallest_limit_on_the_way_up_counts() {
        let mounts = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        let tree = |own: &'static str, between: &'static str| {
            [
                ("proc/self/cgroup", "0::/user.slice/session.scope/run\n"),
                ("proc/self/mountinfo", mounts),
                ("sys/fs/cgroup/user.slice/session.scope/run/memory.max", own),
                ("sys/fs/cgroup/user.slice/session.scope/memory.max", between),
                ("sys/fs/cgroup/user.slice/memory.max", "4294967296\n"),
                ("sys/fs/cgroup/user.slice/other/memory.max", "4096\n"),
            ]
        };
        let path = |group: &str| Some(format!("sys/fs/cgroup/user.slice{group}/memory.max"));
        assert_eq!(limit("v2", &tree("max\n", "max\n")), (4 * GIB, path("")));
        assert_eq!(limit("v2", &tree("max\n", "2147483648\n")), (2 * GIB, path("/session.scope")));
        assert_eq!(limit("v2", &tree("1073741824\n", "2147483648\n")), (GIB, path("/session.scope/run")));
    }

    #[test]
    fn the_memory_controller_of_version_1_counts() {
        let unlimited = "9223372036854771712\n";
        let files = [
            ("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/slurm/job/step\n0::/\n"),
            (
                "proc/self/mountinfo",
                "31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                 32 30 0:28 / /mnt/memory rw shared:9 - cgroup cgroup rw,memory\n",
            ),
            ("mnt/memory/memory.limit_in_bytes", unlimited),
            ("mnt/memory/slurm/job/memory.limit_in_bytes", "209715200\n"),
            ("mnt/memory/slurm/job/step/memory.limit_in_bytes", unlimited),
        ];
        let group = "mnt/memory/slurm/job/memory.limit_in_bytes".to_owned();
        assert_eq!(limit("v1", &files), (200 << 20, Some(group)));
        // If there is no table of mounts, the usual folder is read.
        let files = [
            ("proc/self/cgroup", "4:memory:/job\n"),
            ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "104857600\n"),
        ];
        let group = "sys/fs/cgroup/memory/job/memory.limit_in_bytes".to_owned();
        assert_eq!(limit("v1-custom", &files), (100 << 20, Some(group)));
    }

    #[test]
    fn every_group_that_allows_less_than_the_machine_is_told() {
        let files = [
            ("proc/self/cgroup", "4:memory:/job/step\n0::/slice\n"),
            ("sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "4294967296\n"),
            ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2147483648\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/slice/memory.max", "3221225472\n"),
            ("sys/fs/cgroup/memory.max", "34359738368\n"),
        ];
        let limit = found("both", &files);
        let told: Vec<_> = limit.groups.iter().map(|group| (group.version, group.bytes / GIB)).collect();
        assert_eq!(told, [(1, 4), (1, 2), (2, 3)]);
        assert_eq!((limit.machine, limit.bytes()), (16 * GIB, 2 * GIB));
        assert_eq!(limit.binding(), Some(&limit.groups[1]));
        assert_eq!(limit.groups[1].file, Path::new("sys/fs/cgroup/memory/job/memory.limit_in_bytes"));
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_root() {
        // In a container, the mounted folder is the container's own group. If the container has a namespace of its own,
        // a group of another process is outside of that folder.
        for (own, limited) in [("/docker/abc", ""), ("/docker/abc/nested", "nested/"), ("/../other", "")] {
            let file = format!("sys/fs/cgroup/{limited}memory.max");
            let files = [
                ("proc/self/cgroup", &*format!("0::{own}\n")),
                ("proc/self/mountinfo", "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n"),
                (&file, "536870912\n"),
            ];
            assert_eq!(limit("container", &files), (GIB / 2, Some(file.clone())), "{own}");
        }
    }
}
