//! The input cache (kaillera.md 8.2).
