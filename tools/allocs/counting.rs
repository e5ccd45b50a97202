//! The heap, with a count of what a server asks of it.
//!
//! Every thread is the server's, from its first instruction, but the first of the process to
//! allocate and those that say that they [`drive`] it. So whatever thread the server starts is
//! counted, and nothing of what tests and tools do to keep it busy.

#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    ptr,
    sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU64, Ordering::Relaxed},
};

/// The system's allocator, with numbers; while [`profile`] is on, the server's calls are shown
/// to dhat, too.
#[derive(Debug)]
pub(crate) struct Counting;

/// What the server has asked of the heap since the process began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heap {
    /// Blocks asked for. One that grows or shrinks counts again.
    pub(crate) allocations: u64,
    /// Bytes asked for; again all of them when a block changes its size.
    pub(crate) bytes: u64,
    /// Bytes it has not given back.
    pub(crate) live: i64,
    /// The most `live` has been since [`new_peak`].
    pub(crate) peak: i64,
}

/// Says that the calling thread is none of the server's.
pub(crate) fn drive() {
    SIDE.set(Side::Driver);
}

/// Runs what the server's own main thread would do.
pub(crate) fn as_server<T>(run: impl FnOnce() -> T) -> T {
    let _side = Scope::enter(Side::Server);
    run()
}

/// What the server has asked for so far.
pub(crate) fn of_the_server() -> Heap {
    Heap {
        allocations: ALLOCATIONS.load(Relaxed),
        bytes: BYTES.load(Relaxed),
        live: LIVE.load(Relaxed),
        peak: PEAK.load(Relaxed),
    }
}

/// Bytes nobody has freed, of all threads.
pub(crate) fn live_of_all() -> i64 {
    LIVE.load(Relaxed) + DRIVERS_LIVE.load(Relaxed)
}

/// Lets the peak begin anew with what is live.
pub(crate) fn new_peak() {
    PEAK.store(LIVE.load(Relaxed), Relaxed);
}

/// Lets dhat see what the server asks for; to be on for as long as one of its profilers lives.
pub(crate) fn profile(on: bool) {
    PROFILED.store(on, Relaxed);
}

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);
static DRIVERS_LIVE: AtomicI64 = AtomicI64::new(0);
static PROFILED: AtomicBool = AtomicBool::new(false);
/// Where the first thread to allocate keeps its [`SIDE`]: the main one, or a test harness's.
static FIRST: AtomicPtr<Cell<Side>> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// Constant and without a destructor, so that looking at it allocates nothing and works
    /// from a thread's first to its last moment.
    static SIDE: Cell<Side> = const { Cell::new(Side::Unsaid) };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Unsaid,
    Driver,
    Server,
    /// The profiler's own needs while it notes one of the server's.
    Profiler,
}

impl Side {
    fn of_this_thread() -> Self {
        SIDE.with(|side| {
            let here = ptr::from_ref(side).cast_mut();
            let first = FIRST.compare_exchange(ptr::null_mut(), here, Relaxed, Relaxed);
            match side.get() {
                Self::Unsaid if first.map_or_else(|first| first == here, |_| true) => Self::Driver,
                Self::Unsaid => Self::Server,
                said => said,
            }
        })
    }

    /// Counts a block that changes its size; one that comes or goes has or had none.
    fn count(self, old: usize, new: usize) {
        let change = new as i64 - old as i64;
        match self {
            Self::Server | Self::Unsaid => {
                if new > 0 {
                    ALLOCATIONS.fetch_add(1, Relaxed);
                    BYTES.fetch_add(new as u64, Relaxed);
                }
                let live = LIVE.fetch_add(change, Relaxed) + change;
                PEAK.fetch_max(live, Relaxed);
            }
            Self::Driver => {
                DRIVERS_LIVE.fetch_add(change, Relaxed);
            }
            Self::Profiler => {}
        }
    }

    /// Whether dhat is to know of what this side asks for.
    fn is_shown(self) -> bool {
        self == Self::Server && PROFILED.load(Relaxed)
    }

    /// Whether dhat is to know of what this side gives back: it may be the server's.
    fn gives_back_shown(self) -> bool {
        self != Self::Profiler && PROFILED.load(Relaxed)
    }
}

/// Puts the thread on a side until it is dropped.
struct Scope(Side);

impl Scope {
    fn enter(side: Side) -> Self {
        Self(SIDE.replace(side))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        SIDE.set(self.0);
    }
}

// SAFETY: every call is answered by the system's allocator, directly or through dhat's, which
// hands out the system's memory itself; counting neither allocates nor touches the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let side = Side::of_this_thread();
        side.count(0, layout.size());
        if side.is_shown() {
            let _side = Scope::enter(Side::Profiler);
            // SAFETY: the caller keeps the contract of this very method.
            unsafe { dhat::Alloc.alloc(layout) }
        } else {
            // SAFETY: as above.
            unsafe { System.alloc(layout) }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let side = Side::of_this_thread();
        side.count(0, layout.size());
        if side.is_shown() {
            let _side = Scope::enter(Side::Profiler);
            // SAFETY: the caller keeps the contract of this very method.
            unsafe { dhat::Alloc.alloc_zeroed(layout) }
        } else {
            // SAFETY: as above.
            unsafe { System.alloc_zeroed(layout) }
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let side = Side::of_this_thread();
        side.count(layout.size(), new_size);
        if side.is_shown() {
            let _side = Scope::enter(Side::Profiler);
            // SAFETY: the caller keeps the contract of this very method.
            unsafe { dhat::Alloc.realloc(memory, layout, new_size) }
        } else if side.gives_back_shown() {
            // SAFETY: the caller vouches that the new size is one the alignment allows, that
            // it is not zero, and that `memory` is its own and of the layout it names. The new
            // block is another one, and as much is copied as both have.
            unsafe {
                let resized = Layout::from_size_align_unchecked(new_size, layout.align());
                let new = System.alloc(resized);
                if !new.is_null() {
                    ptr::copy_nonoverlapping(memory, new, layout.size().min(new_size));
                    dhat::Alloc.dealloc(memory, layout);
                }
                new
            }
        } else {
            // SAFETY: as in the first case.
            unsafe { System.realloc(memory, layout, new_size) }
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let side = Side::of_this_thread();
        side.count(layout.size(), 0);
        if side.gives_back_shown() {
            let _side = Scope::enter(Side::Profiler);
            // SAFETY: the caller keeps the contract of this very method; dhat passes on also
            // what it has not seen before.
            unsafe { dhat::Alloc.dealloc(memory, layout) }
        } else {
            // SAFETY: as above.
            unsafe { System.dealloc(memory, layout) }
        }
    }
}
