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
