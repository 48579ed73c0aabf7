//! Messages by e-mail: text and HTML over SMTP.

use std::time::Duration;

use lettre::message::header::ContentType;
use lettre::message::{Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use mainspring_api::{AlertEmail, AlertSecurity, ErrorCode};

use super::Failure;
use super::message::Message;
use crate::app::App;
use crate::work::off_thread;

/// How long each step of the exchange with a mail server may take, and the whole of it.
const STEP_MAX: Duration = Duration::from_secs(15);
const WHOLE_MAX: Duration = Duration::from_secs(30);

/// Sends a message to some addresses, or to those of the channel.
///
/// # Errors
/// `alert.address`, `alert.smtp`.
pub(super) async fn send(
    app: &App,
    email: &AlertEmail,
    password: Option<String>,
    to: &[String],
    id: &str,
    message: &Message,
) -> Result<(), Failure> {
    let mail = written(email, to, id, message)?;
    let security = email.security.unwrap_or_default();
    let port = email.port.unwrap_or(match security {
        AlertSecurity::Starttls => 587,
        AlertSecurity::Tls => 465,
        AlertSecurity::None => 25,
    });
    let addresses = app.engine.outbound_addresses(&email.server, port).await;
    let addresses = addresses.ok_or_else(|| Failure::new(ErrorCode::AlertDisabled, "this node makes no calls"))?;
    let addresses = addresses.map_err(|error| Failure::new(ErrorCode::AlertAddress, error.message))?;
    let tls = tls(security, email.server.clone()).await?;
    let credentials = email.username.clone().zip(password).map(|(name, password)| Credentials::new(name, password));
    let place = format!("{}:{port}", email.server);
    let failed = |why: &str| Failure::new(ErrorCode::AlertSmtp, format!("{place} {why}"));
    let mut result = Err(failed("has no address"));
    for address in addresses {
        // The address that was checked is the one that is connected to, and the name is what the certificate is for.
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(address.ip().to_string())
            .port(port)
            .tls(tls.clone())
            .timeout(Some(STEP_MAX));
        if let Some(credentials) = &credentials {
            builder = builder.credentials(credentials.clone());
        }
        match tokio::time::timeout(WHOLE_MAX, builder.build().send(mail.clone())).await {
            Ok(Ok(_)) => return Ok(()),
            // Whoever answers has decided; else the next address may be one that does.
            Ok(Err(error)) if error.status().is_some() => return Err(failed(&explained(&error))),
            Ok(Err(error)) => result = Err(failed(&explained(&error))),
            Err(_) => result = Err(failed(&format!("took more than {} s", WHOLE_MAX.as_secs()))),
        }
    }
    result
}

/// What went wrong: what the server said, or the innermost cause.
fn explained(error: &lettre::transport::smtp::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match error.status() {
        Some(code) => format!("refused with {code}: {cause}"),
        None => format!("could not be spoken to: {cause}"),
    }
}

async fn tls(security: AlertSecurity, server: String) -> Result<Tls, Failure> {
    if security == AlertSecurity::None {
        return Ok(Tls::None);
    }
    // Reads the certificates of the system.
    let made = off_thread(move || Ok(TlsParameters::new(server))).await;
    let failed = |why: String| Failure::new(ErrorCode::AlertSmtp, format!("TLS could not be set up: {why}"));
    let parameters = made.map_err(|_| failed("the node closes".into()))?.map_err(|error| failed(error.to_string()))?;
    Ok(if security == AlertSecurity::Tls { Tls::Wrapper(parameters) } else { Tls::Required(parameters) })
}

fn written(email: &AlertEmail, to: &[String], id: &str, message: &Message) -> Result<lettre::Message, Failure> {
    let mailbox = |text: &str| {
        text.parse::<Mailbox>()
            .map_err(|error| Failure::new(ErrorCode::AlertSmtp, format!("{text:?} is no address: {error}")))
    };
    let to = if to.is_empty() { &email.to } else { to };
    if to.is_empty() {
        return Err(Failure::new(ErrorCode::AlertSmtp, "neither the channel nor the rule says whom to send it to"));
    }
    let mut builder = lettre::Message::builder()
        .from(mailbox(&email.from)?)
        .subject(format!("[mainspring] {}", message.subject))
        .message_id(Some(format!("<{id}@mainspring.invalid>")));
    for address in to {
        builder = builder.to(mailbox(address)?);
    }
    let part = |kind, text: String| SinglePart::builder().header(kind).body(text);
    let parts = MultiPart::alternative()
        .singlepart(part(ContentType::TEXT_PLAIN, format!("{}\n\n{}\n", message.subject, message.text())))
        .singlepart(part(ContentType::TEXT_HTML, html(message)));
    builder.multipart(parts).map_err(|error| Failure::new(ErrorCode::AlertSmtp, error.to_string()))
}

/// The message for readers of mail that show HTML: no images, no styles but a few in place.
fn html(message: &Message) -> String {
    let colour = match message.kind.as_str() {
        "recovered" => "#1a7f37",
        "test" => "#0969da",
        _ => "#cf222e",
    };
    let rows: String = message
        .facts
        .iter()
        .map(|(name, value)| {
            format!(
                "<tr><td style=\"color:#666;padding-right:1em\">{}</td><td>{}</td></tr>",
                escaped(name),
                escaped(value)
            )
        })
        .collect();
    let pre = |lines: &[String]| {
        let style = "background:#f6f8fa;padding:8px;white-space:pre-wrap";
        format!("<pre style=\"{style}\">{}</pre>", escaped(&lines.join("\n")))
    };
    let log = if message.log.is_empty() {
        String::new()
    } else {
        format!("<p>Last lines of the log:</p>{}", pre(&message.log))
    };
    let link =
        message.link.as_ref().map(|link| format!("<p><a href=\"{0}\">{0}</a></p>", escaped(link))).unwrap_or_default();
    let commands =
        if message.commands.is_empty() { String::new() } else { format!("<p>To look:</p>{}", pre(&message.commands)) };
    let subject = escaped(&message.subject);
    format!(
        "<!doctype html><html><body style=\"font-family:sans-serif\"><h3 style=\"color:{colour}\">{subject}</h3>\
         <table>{rows}</table>{log}{link}{commands}</body></html>"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email() -> AlertEmail {
        AlertEmail {
            server: "h".into(),
            from: "Jobs <jobs@example.org>".into(),
            to: vec!["ops@example.org".into()],
            ..AlertEmail::default()
        }
    }

    fn message() -> Message {
        Message {
            kind: "opened".into(),
            subject: "pay/roll: run failed\r\nBcc: all@example.org".into(),
            facts: vec![("Error".into(), "<script>".into())],
            ..Message::default()
        }
    }

    #[test]
    fn mail_goes_to_whom_the_rule_names_else_to_whom_the_channel_does() {
        let receivers = |to: &[&str]| {
            let to: Vec<_> = to.iter().map(|it| (*it).to_owned()).collect();
            let mail = written(&email(), &to, "7", &message()).unwrap();
            mail.envelope().to().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(receivers(&[]), ["ops@example.org"]);
        assert_eq!(receivers(&["a@example.org", "B <b@example.org>"]), ["a@example.org", "b@example.org"]);
        let nobody = AlertEmail { to: Vec::new(), ..email() };
        assert!(written(&nobody, &[], "7", &message()).is_err());
    }

    #[test]
    fn nothing_of_a_job_becomes_a_header_or_markup() {
        let mail = String::from_utf8(written(&email(), &[], "7", &message()).unwrap().formatted()).unwrap();
        assert!(
            !mail.lines().any(|line| line.starts_with("Bcc:") && mail.find(line) < mail.find("\r\n\r\n")),
            "{mail}"
        );
        assert!(!mail.contains("<script>") || mail.contains("&lt;script&gt;"));
        assert!(html(&message()).contains("&lt;script&gt;"));
    }
}
