//! What processes of a host say over their sockets: little, and seldom. Batches go through the rings.

use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, OwnedFd};

use crate::system::descriptors;

/// The bytes of a message: four words.
const BYTES: usize = 32;

/// Of this protocol, in every hello.
const MAGIC: u64 = u64::from_le_bytes(*b"dvmring1");

/// A message over a socket.
#[derive(Debug)]
pub(crate) enum SocketMessage {
    /// The first one: who speaks in a job of how many, and the files for records to the speaker and of its card.
    Hello {
        me: u64,
        processes: u64,
        ring: OwnedFd,
        card: OwnedFd,
    },
    /// There is something in a ring.
    Bell,
    Beat,
    /// The speaker leaves in order.
    Close,
    /// A segment of the speaker's heap.
    Segment {
        number: u64,
        bytes: u64,
        base: u64,
        file: OwnedFd,
    },
}

/// What a socket gives.
#[derive(Debug)]
pub(crate) enum Said {
    Message(SocketMessage, Option<descriptors::Credentials>),
    /// No more for now.
    Nothing,
    /// No more at all.
    End,
    /// Something else.
    Nonsense,
}

/// Sends a message; `ErrorKind::WouldBlock` when the peer has not read for long.
pub(crate) fn send(socket: &OwnedFd, message: &SocketMessage) -> Result<()> {
    let (words, files) = match message {
        SocketMessage::Hello { me, processes, ring, card } => ([MAGIC, *me, *processes, 0], vec![ring, card]),
        SocketMessage::Bell => ([1, 0, 0, 0], Vec::new()),
        SocketMessage::Beat => ([2, 0, 0, 0], Vec::new()),
        SocketMessage::Close => ([3, 0, 0, 0], Vec::new()),
        SocketMessage::Segment { number, bytes, base, file } => ([4, *number, *bytes, *base], vec![file]),
    };
    let mut text = [0; BYTES];
    for (place, word) in text.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    let files: Vec<_> = files.into_iter().map(AsRawFd::as_raw_fd).collect();
    descriptors::send(socket, &text, &files, matches!(message, SocketMessage::Hello { .. }))
}

/// The next message.
pub(crate) fn receive(socket: &OwnedFd) -> Said {
    let mut text = [0; BYTES];
    // A peer that closes with unread messages resets the connection: that is said once, and then what it had sent before.
    let received = match descriptors::receive(socket, &mut text) {
        Err(error) if error.kind() == ErrorKind::ConnectionReset => descriptors::receive(socket, &mut text),
        received => received,
    };
    match received {
        Ok(received) if received.bytes == 0 => Said::End,
        Ok(received) if received.bytes == BYTES => {
            let word = |at: usize| u64::from_le_bytes(text.as_chunks::<8>().0[at]);
            decode([word(0), word(1), word(2), word(3)], received)
        }
        Ok(_) => Said::Nonsense,
        Err(error) => trouble(&error),
    }
}

fn trouble(error: &Error) -> Said {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::Interrupted => Said::Nothing,
        ErrorKind::InvalidData => Said::Nonsense,
        _ => Said::End,
    }
}

fn decode(words: [u64; 4], received: descriptors::Received) -> Said {
    let mut files = received.descriptors.into_iter();
    let message = match (words, files.next(), files.next()) {
        ([MAGIC, me, processes, 0], Some(ring), Some(card)) => SocketMessage::Hello { me, processes, ring, card },
        ([1, ..], None, None) => SocketMessage::Bell,
        ([2, ..], None, None) => SocketMessage::Beat,
        ([3, ..], None, None) => SocketMessage::Close,
        ([4, number, bytes, base], Some(file), None) => SocketMessage::Segment { number, bytes, base, file },
        _ => return Said::Nonsense,
    };
    Said::Message(message, received.sender)
}
