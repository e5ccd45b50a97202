//! Frame sync (kaillera.md 7.2, 8, 9).
