//! The functions that the WebAssembly module exports to a page: the page takes bytes, writes a request there, and
//! calls.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::session::Session;

/// The allocator of the module. It notes if the system refused memory. Unless the engine handles that, the call then
/// ends in a trap (WebAssembly's fatal error).
struct Noted;

static REFUSED: AtomicBool = AtomicBool::new(false);

// SAFETY: each call is passed on to the system's allocator unchanged.
#[expect(unsafe_code, reason = "an allocator has no other form")]
unsafe impl GlobalAlloc for Noted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        noted(unsafe { System.realloc(pointer, layout, size) })
    }
}

#[inline]
fn noted(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    pointer
}

#[global_allocator]
static ALLOCATOR: Noted = Noted;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    /// The bytes of the next request.
    static REQUEST: RefCell<Vec<u8>> = RefCell::default();
    /// The last answer.
    static ANSWER: RefCell<String> = RefCell::default();
    /// The message of the last panic.
    static PANIC: RefCell<String> = RefCell::default();
}

#[expect(unsafe_code, reason = "a function of the page has no other form")]
unsafe extern "C" {
    /// Reports the progress to the page, as JSON. The page returns 1 to stop the search, and 0 to let it go on.
    safe fn told(pointer: *const u8, length: usize) -> u32;
}

/// Allocates `length` bytes for a request, and returns their address; 0 if there is no memory for them. The page writes
/// the request there. The next [`call`] frees the bytes.
#[expect(unsafe_code, reason = "the name is for the page")]
#[unsafe(no_mangle)]
pub extern "C" fn take(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        if request.try_reserve_exact(length).is_err() {
            return std::ptr::null_mut();
        }
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request in the bytes that were taken. The upper half of the returned number is the address of the
/// answer, and the lower half is its length in bytes. The answer stays there until the next call.
#[expect(unsafe_code, reason = "the name is for the page")]
#[unsafe(no_mangle)]
pub extern "C" fn call() -> u64 {
    REFUSED.store(false, Ordering::Relaxed);
    std::panic::set_hook(Box::new(|info| PANIC.with_borrow_mut(|words| *words = info.to_string())));
    let request = REQUEST.take();
    let answer = SESSION
        .with_borrow_mut(|session| session.call(&request, &|progress| told(progress.as_ptr(), progress.len()) == 1));
    shown(answer)
}

/// After a call has ended in a trap (WebAssembly's fatal error), describes the error as an answer. The instance cannot
/// be used any more: the page has to make another one.
#[expect(unsafe_code, reason = "the name is for the page")]
#[unsafe(no_mangle)]
pub extern "C" fn fallen() -> u64 {
    let words = PANIC.try_with(|words| words.try_borrow().map(|words| words.clone()).unwrap_or_default());
    let words = words.unwrap_or_default();
    let answer = if words.is_empty() && REFUSED.load(Ordering::Relaxed) {
        let mebibytes = core::arch::wasm32::memory_size(0) >> 4;
        let message = format!(
            "the memory of the page is used up at {mebibytes} MiB; load the puzzle again, and give the engine less to \
             do"
        );
        json!({"error": {"kind": "MemoryError", "message": message, "lower_bound": null, "within": null}})
    } else {
        let what = words.lines().last().unwrap_or("it stopped");
        let message = format!("the engine failed: {what}; load the puzzle again, and report it");
        json!({"error": {"kind": "PluginError", "message": message, "lower_bound": null, "within": null}})
    };
    shown(answer.to_string())
}

fn shown(answer: String) -> u64 {
    ANSWER.with_borrow_mut(|kept| {
        *kept = answer;
        (kept.as_ptr() as u64) << 32 | kept.len() as u64
    })
}
