//! The v086 bundle, and the order of message numbers (kaillera.md 2).
