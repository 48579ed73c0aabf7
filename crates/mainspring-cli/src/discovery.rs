//! How the command line finds a server on the same machine, and its token.
//!
//! Each server registers itself in a folder of its user, one file per address, readable by that user
//! alone: `$XDG_STATE_HOME/mainspring/servers` (else `~/.local/state/…`). The file names the address
//! and the token file, never the token. A file whose server is gone is passed over.

use std::fs;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long a server on this machine may take to accept a connection.
const CONNECT_LIMIT: Duration = Duration::from_millis(300);

/// What a server tells the command line about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Where it listens.
    pub address: SocketAddr,
    /// The file that holds its token.
    pub token_file: PathBuf,
    /// Its data folder; none for a store in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<PathBuf>,
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
}

impl Registration {
    /// The base of its API.
    pub fn url(&self) -> String {
        format!("http://{}", reachable(self.address))
    }

    /// Tells whether something accepts connections there.
    pub fn answers(&self) -> bool {
        TcpStream::connect_timeout(&reachable(self.address), CONNECT_LIMIT).is_ok()
    }
}

/// A registration that ends with this value. After `kill -9` the file stays, and is passed over.
pub struct Registered {
    file: PathBuf,
}

impl Drop for Registered {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = fs::remove_file(&self.file);
    }
}

/// Writes the registration of a server that listens now.
///
/// # Errors
/// Fails when the folder or the file cannot be written.
pub fn register(folder: &Path, registration: &Registration) -> io::Result<Registered> {
    fs::create_dir_all(folder)?;
    let name = registration.address.to_string().replace([':', '[', ']'], "_");
    let file = folder.join(format!("{name}.json"));
    let mut text = tempfile_beside(&file)?;
    text.1.write_all(serde_json::to_string_pretty(registration)?.as_bytes())?;
    fs::rename(&text.0, &file)?;
    Ok(Registered { file })
}

/// Returns all registrations in the folder, by address; unreadable files are passed over.
pub fn registrations(folder: &Path) -> Vec<Registration> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<Registration> = entries
        .filter_map(|entry| fs::read(entry.ok()?.path()).ok())
        .filter_map(|text| serde_json::from_slice(&text).ok())
        .collect();
    found.sort_by_key(|registration| registration.address);
    found
}

/// Reads what a server wrote into its data folder.
///
/// # Errors
/// Fails when no server runs there, or the file is not one of ours.
pub fn presence(data: &Path) -> io::Result<Registration> {
    let presence: Presence = serde_json::from_slice(&fs::read(data.join("server.json"))?)?;
    Ok(Registration {
        address: presence.address,
        token_file: data.join("token"),
        data: Some(data.to_owned()),
        pid: presence.pid,
        version: presence.version,
    })
}

/// The file `server.json` of a data folder.
#[derive(Deserialize)]
struct Presence {
    address: SocketAddr,
    pid: u32,
    version: String,
}

/// The folder of registrations; `None` when the user has no home.
pub fn folder() -> Option<PathBuf> {
    base("XDG_STATE_HOME", ".local/state").map(|base| base.join("mainspring/servers"))
}

/// The default data folder of `mainspring server`; `None` when the user has no home.
pub fn default_data() -> Option<PathBuf> {
    base("XDG_DATA_HOME", ".local/share").map(|base| base.join("mainspring"))
}

/// A base folder of the XDG specification, which ignores variables that are no absolute path.
fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| Some(std::env::home_dir()?.join(below_home)))
}

/// A server on all interfaces is reached through loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    let mut address = address;
    if address.ip().is_unspecified() {
        let loopback =
            if address.is_ipv4() { std::net::Ipv4Addr::LOCALHOST.into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
        address.set_ip(loopback);
    }
    address
}

/// Opens a new file next to `file`, readable by its owner alone.
fn tempfile_beside(file: &Path) -> io::Result<(PathBuf, fs::File)> {
    let path = file.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(&path)?;
    Ok((path, opened))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn registration(address: SocketAddr) -> Registration {
        Registration { address, token_file: "token".into(), data: None, pid: 1, version: "0.1.0".to_owned() }
    }

    #[test]
    fn a_registration_is_found_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mine = registration(listener.local_addr().unwrap());
        let held = register(folder.path(), &mine).unwrap();
        fs::write(folder.path().join("broken.json"), "{").unwrap();

        assert_eq!(registrations(folder.path()), std::slice::from_ref(&mine));
        assert!(mine.answers());
        drop(held);
        assert_eq!(registrations(folder.path()), []);
    }

    #[test]
    fn a_data_folder_tells_where_its_server_is() {
        let data = tempfile::tempdir().unwrap();
        assert!(presence(data.path()).is_err());
        let text = r#"{"address": "127.0.0.1:7071", "pid": 7, "version": "0.1.0"}"#;
        fs::write(data.path().join("server.json"), text).unwrap();
        let found = presence(data.path()).unwrap();
        assert_eq!(found.url(), "http://127.0.0.1:7071");
        assert_eq!(found.token_file, data.path().join("token"));
    }

    #[test]
    fn a_dead_server_does_not_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        assert!(!registration(address).answers());
    }

    #[cfg(unix)]
    #[test]
    fn a_registration_is_readable_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let held = register(folder.path(), &registration("[::1]:7070".parse().unwrap())).unwrap();
        let mode = fs::metadata(&held.file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn all_interfaces_are_reached_through_loopback() {
        let cases =
            [("0.0.0.0:7070", "127.0.0.1:7070"), ("[::]:7070", "[::1]:7070"), ("10.0.0.7:7070", "10.0.0.7:7070")];
        for (address, expected) in cases {
            let reached = reachable(address.parse().unwrap());
            assert_eq!(reached, expected.parse().unwrap());
        }
    }
}
