//! Each fault of the wire, as both ends see it.

use std::io::{Error, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use mainspring_rig::{Flow, Proxy};

/// A server that sends every byte back, behind a proxy, and a client of it.
struct Line {
    proxy: Proxy,
    port: u16,
}

impl Line {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                std::thread::spawn(move || echo(socket));
            }
        });
        let proxy = Proxy::to(port).unwrap();
        let address = proxy.address(&format!("x://127.0.0.1:{port}/y")).unwrap();
        let port = address.trim_start_matches("x://127.0.0.1:").trim_end_matches("/y").parse().unwrap();
        Self { proxy, port }
    }

    fn client(&self) -> TcpStream {
        let client = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        client.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        client
    }
}

fn echo(mut socket: TcpStream) {
    let mut byte = [0];
    while let Ok(1) = socket.read(&mut byte) {
        let _gone = socket.write_all(&byte);
    }
}

fn ask(client: &mut TcpStream, byte: u8) -> Result<u8, Error> {
    client.write_all(&[byte])?;
    hear(client)
}

fn hear(client: &mut TcpStream) -> Result<u8, Error> {
    let mut answer = [0];
    client.read_exact(&mut answer).map(|()| answer[0])
}

fn is_silent(client: &mut TcpStream) -> bool {
    hear(client).is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
}

/// With as long as a loaded machine takes.
fn hear_patiently(client: &mut TcpStream) -> Result<u8, Error> {
    client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    hear(client)
}

#[test]
fn bytes_pass_and_ends_do_too() {
    let line = Line::new();
    let mut client = line.client();
    assert_eq!(ask(&mut client, 1).unwrap(), 1);
    client.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(hear_patiently(&mut client).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert_eq!(line.proxy.opened(), 1);
}

#[test]
fn held_bytes_arrive_when_the_wire_is_whole_again() {
    let line = Line::new();
    let mut client = line.client();
    for (to_server, to_client) in [(Flow::Hold, Flow::Hold), (Flow::Hold, Flow::Pass), (Flow::Pass, Flow::Hold)] {
        line.proxy.set_each(to_server, to_client);
        client.write_all(&[2]).unwrap();
        assert!(is_silent(&mut client), "{to_server:?} {to_client:?}");
        line.proxy.set(Flow::Pass);
        assert_eq!(hear_patiently(&mut client).unwrap(), 2);
        client.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    }
    // A new connection is opened by the system, and waits too.
    line.proxy.set(Flow::Hold);
    let mut late = line.client();
    late.write_all(&[3]).unwrap();
    assert!(is_silent(&mut late));
    line.proxy.set(Flow::Pass);
    assert_eq!(hear_patiently(&mut late).unwrap(), 3);
}

#[test]
fn each_piece_is_delayed_by_the_same() {
    let line = Line::new();
    let mut client = line.client();
    assert_eq!(ask(&mut client, 1).unwrap(), 1);
    line.proxy.set_each(Flow::Delay(Duration::from_millis(300)), Flow::Pass);
    let begun = Instant::now();
    for byte in 0..3 {
        client.write_all(&[byte]).unwrap();
    }
    for byte in 0..3 {
        assert_eq!(hear_patiently(&mut client).unwrap(), byte);
    }
    let took = begun.elapsed();
    assert!((300..900).contains(&took.as_millis()), "one delay, not three: {took:?}");
}

#[test]
fn swallowed_bytes_never_arrive_and_the_connection_is_reset_later() {
    let line = Line::new();
    let mut client = line.client();
    assert_eq!(ask(&mut client, 1).unwrap(), 1);
    line.proxy.set(Flow::Swallow);
    client.write_all(&[2]).unwrap();
    assert!(is_silent(&mut client));
    line.proxy.set(Flow::Pass);
    assert_eq!(hear_patiently(&mut client).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(ask(&mut line.client(), 3).unwrap(), 3);
}

#[test]
fn connections_are_reset_and_turned_away() {
    let line = Line::new();
    let mut client = line.client();
    assert_eq!(ask(&mut client, 1).unwrap(), 1);
    line.proxy.reset();
    assert_eq!(hear_patiently(&mut client).unwrap_err().kind(), ErrorKind::ConnectionReset);
    line.proxy.refuse(true);
    let mut refused = line.client();
    assert!(hear_patiently(&mut refused).is_err());
    line.proxy.refuse(false);
    assert_eq!(ask(&mut line.client(), 2).unwrap(), 2);
}

#[test]
fn wire_leads_elsewhere_and_what_was_open_is_reset() {
    let (line, other) = (Line::new(), TcpListener::bind("127.0.0.1:0").unwrap());
    let mut client = line.client();
    assert_eq!(ask(&mut client, 1).unwrap(), 1);
    line.proxy.point_to(other.local_addr().unwrap().port());
    assert_eq!(hear_patiently(&mut client).unwrap_err().kind(), ErrorKind::ConnectionReset);
    let mut moved = line.client();
    other.accept().unwrap().0.write_all(&[7]).unwrap();
    assert_eq!(hear_patiently(&mut moved).unwrap(), 7);
}
