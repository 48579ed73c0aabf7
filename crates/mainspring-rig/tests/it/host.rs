//! A host of its own, and its link.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use mainspring_rig::Host;

#[test]
fn host_whose_link_is_unplugged_is_out_of_reach_until_it_is_back() {
    let host = match Host::new(0) {
        Ok(host) => host,
        Err(error) => return writeln!(std::io::stderr(), "not tried: {error:#}").unwrap(),
    };
    let listener = TcpListener::bind((host.here(), 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let says = |word: &str| {
        let script = format!("exec 3<>/dev/tcp/{}/{} && echo {word} >&3", address.ip(), address.port());
        host.command(Path::new("bash")).args(["-c", &script]).spawn().unwrap()
    };
    let hears = || {
        let mut word = String::new();
        listener.accept().unwrap().0.read_to_string(&mut word).unwrap();
        word
    };

    let mut first = says("here");
    assert_eq!(hears(), "here\n");
    assert!(first.wait().unwrap().success());

    host.plug(false).unwrap();
    let refused = TcpStream::connect((host.there(), 9)).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::HostUnreachable, "{refused}");
    // It sends its request again and again, and nobody tells it that there is no use.
    let mut second = says("again");
    host.plug(true).unwrap();
    assert_eq!(hears(), "again\n");
    assert!(second.wait().unwrap().success());
    let refused = TcpStream::connect((host.there(), 9)).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused, "{refused}");
}
