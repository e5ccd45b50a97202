//! Room.
#![allow(missing_docs)]
use crate::{
    lobby::rules::Rules,
    service::kaillera::{Limits, Link, Settings},
};
use std::net::IpAddr;
#[derive(Debug)]
pub struct Net {
    pub bind: Vec<IpAddr>,
    pub port: u16,
    pub announced_port: Option<u16>,
    pub loops: usize,
    pub workers: usize,
    pub answer_wrong_version: bool,
}
#[derive(Debug)]
pub struct Config {
    pub net: Net,
    pub rules: Rules,
    pub link: Link,
    pub limits: Limits,
    pub log: String,
}
impl Config {
    pub fn settings(&self) -> Settings {
        Settings {
            rules: self.rules.clone(),
            link: self.link,
            limits: self.limits,
            announced_port: self.net.announced_port,
            answer_wrong_version: self.net.answer_wrong_version,
        }
    }
}
