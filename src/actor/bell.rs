//! How a thread that sleeps is woken, once.

use std::{
    fmt,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering, fence},
    },
};

/// Wakes one thread, and only if it sleeps: a wake is a system call, a look at a flag is not.
///
/// The sleeper calls [`Bell::about_to_sleep`], looks once more for work, sleeps, and calls
/// [`Bell::awake`]. Whoever gives it work does so first and calls [`Bell::ring`] after.
#[derive(Default)]
pub struct Bell {
    asleep: AtomicBool,
    wake: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Bell {
    /// A bell that wakes nobody yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says how the thread is woken; only the first call counts.
    pub fn install(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.wake.get_or_init(|| Box::new(wake));
    }

    /// Announces that the thread will sleep unless a last look finds work.
    pub fn about_to_sleep(&self) {
        self.asleep.store(true, Ordering::Relaxed);
        // Pairs with the fence in `ring`: either the ringer sees the flag or the last
        // look sees the work.
        fence(Ordering::SeqCst);
    }

    /// Announces that the thread does not sleep.
    pub fn awake(&self) {
        self.asleep.store(false, Ordering::Relaxed);
    }

    /// Wakes the thread if it sleeps or is about to.
    pub fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed)
            && self.asleep.swap(false, Ordering::Relaxed)
            && let Some(wake) = self.wake.get()
        {
            wake();
        }
    }
}

impl fmt::Debug for Bell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bell")
            .field("asleep", &self.asleep)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, atomic::AtomicUsize};

    #[test]
    fn rings_once_per_sleep() {
        let rung = Arc::new(AtomicUsize::new(0));
        let bell = Bell::new();
        let count = rung.clone();
        bell.install(move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        bell.ring();
        assert_eq!(rung.load(Ordering::Relaxed), 0, "nobody sleeps");
        bell.about_to_sleep();
        bell.ring();
        bell.ring();
        assert_eq!(rung.load(Ordering::Relaxed), 1);
        bell.about_to_sleep();
        bell.awake();
        bell.ring();
        assert_eq!(rung.load(Ordering::Relaxed), 1);
    }
}
