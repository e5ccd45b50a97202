//! Assembly.
