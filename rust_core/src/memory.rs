//! How much memory this process may use.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// The bytes of memory that the machine has, or that the control group of this process allows where that is less.
///
/// # Examples
///
/// ```
/// assert!(puzzlekit_core::memory_bytes() > 1 << 20);
/// ```
pub fn memory_bytes() -> u64 {
    let system =
        System::new_with_specifics(RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()));
    let allowed = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    match allowed {
        0 => system.total_memory(),
        limit => limit.min(system.total_memory()),
    }
}

/// A number of bytes for people.
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

/// Gives what was freed back to the system, where the allocator keeps it: it holds much more than is used otherwise, after large
/// lists in many pieces were dropped.
pub(crate) fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: it may be called at any time, by any thread, and touches nothing that is in use.
        #[expect(unsafe_code, reason = "the allocator has no safe interface")]
        unsafe {
            libc::malloc_trim(0);
        }
    }
}
