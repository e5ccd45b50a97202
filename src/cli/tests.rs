use super::*;
use clap::CommandFactory;
use std::fs;

fn parse(line: &str) -> Result<Command, clap::Error> {
    Cli::try_parse_from(line.split_whitespace()).map(Cli::command)
}

fn config(line: &str) -> Config {
    match parse(line) {
        Ok(Command::Serve(serve)) => serve.config().unwrap(),
        other => panic!("{line}: {other:?}"),
    }
}

fn refusal(line: &str) -> String {
    parse(line).unwrap_err().to_string()
}

fn addresses(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn definitions_hold_together() {
    <Cli as CommandFactory>::command().debug_assert();
}

#[test]
fn no_command_serves_the_defaults() {
    let expected = format!("{:?}", Config::default());
    assert_eq!(format!("{:?}", config("samara")), expected);
    assert_eq!(format!("{:?}", config("samara serve")), expected);
}

#[test]
fn help_names_the_real_defaults() {
    let mut command = <Cli as CommandFactory>::command();
    let help = command
        .find_subcommand_mut("serve")
        .unwrap()
        .render_long_help()
        .to_string();
    let net = Config::default().net;
    assert_eq!(net.bind, addresses(&["0.0.0.0", "::"]));
    assert!(help.contains("[default: 0.0.0.0 and ::]"));
    assert!(help.contains(&format!(
        "UDP and TCP; 0 is any free one [default: {}]",
        net.port
    )));
    assert_eq!((net.loops, net.workers), (0, 0));
    assert!(help.contains(&format!("0 to {MAX_THREADS}")));
}

#[test]
fn options_are_taken() {
    let config = config(
        "samara serve --bind 192.0.2.7 --bind ::1 --bind ::1 --port 0 --loops 2 --workers 3 \
         --log warn,samara::lobby=debug",
    );
    assert_eq!(config.net.bind, addresses(&["192.0.2.7", "::1"]));
    assert_eq!(
        (config.net.port, config.net.loops, config.net.workers),
        (0, 2, 3)
    );
    assert_eq!(config.log.filter, "warn,samara::lobby=debug");
}

#[test]
fn options_win_over_the_file() {
    let path = std::env::temp_dir().join(format!("samara-cli-{}.toml", std::process::id()));
    let text = "[net]\nbind = [\"192.0.2.1\"]\nport = 1000\nloops = 4\nworkers = 5\n\
        [kaillera]\nmax_users = 7\n[log]\nfilter = \"error\"\n";
    fs::write(&path, text).unwrap();
    let file = format!("samara serve --config {}", path.display());

    let from_file = config(&file);
    assert_eq!(from_file.net.bind, addresses(&["192.0.2.1"]));
    assert_eq!(
        (
            from_file.net.port,
            from_file.net.loops,
            from_file.net.workers
        ),
        (1000, 4, 5)
    );
    assert_eq!(from_file.log.filter, "error");

    let both = config(&format!(
        "{file} --bind ::1 --port 2000 --loops 0 --workers 0 --log debug"
    ));
    assert_eq!(both.net.bind, addresses(&["::1"]));
    assert_eq!(
        (both.net.port, both.net.loops, both.net.workers),
        (2000, 0, 0)
    );
    assert_eq!(both.log.filter, "debug");
    assert_eq!(both.rules.max_users, 7);

    fs::remove_file(&path).unwrap();
}

#[test]
fn refusals_say_what_is_valid() {
    for (line, part) in [
        ("samara serve --port 70000", "70000 is not in 0..=65535"),
        ("samara serve --port=-1", "--port"),
        ("samara serve --loops 65", "65 is not in 0..=64"),
        ("samara serve --workers many", "invalid digit"),
        ("samara serve --bind localhost", "invalid IP address syntax"),
        ("samara serve --log inof", LOG_FILTERS),
        ("samara serve --pot 1", "--port"),
        ("samara check", "--config <FILE>"),
        ("samara chekc", "check"),
    ] {
        assert!(refusal(line).contains(part), "{line}: {}", refusal(line));
    }
}
