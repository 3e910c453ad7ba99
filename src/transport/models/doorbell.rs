//! Who sleeps is woken: by a record, and by room where one was refused. A wake-up that is lost is a deadlock, which loom
//! reports.

use loom::sync::Arc;
use loom::thread;

use super::{Sleeper, models, small_ring};
use crate::idle::planted::planted;
use crate::sync::atomic::{AtomicU64, yield_now};
use crate::transport::ring::{RecordKind, RingConsumer, RingProducer, SharedRing};

models! {
    records_wake finds [ringer_without_fence, sleeper_without_fence, look_before_asleep, sleeps_not_counted,
        ring_before_push];
    room_wakes finds [sleeper_without_fence, look_before_asleep, freed_without_fence, refuse_in_silence,
        rouse_before_room];
}

/// A ring, the processes at its two ends, and how they sleep.
struct Shared {
    words: Vec<AtomicU64>,
    consumer: Sleeper,
    producer: Sleeper,
}

impl Shared {
    fn new() -> Arc<Shared> {
        Arc::new(Shared { words: small_ring(), consumer: Sleeper::default(), producer: Sleeper::default() })
    }

    fn ring(&self) -> SharedRing<'_> {
        SharedRing::over(&self.words)
    }

    fn push(&self, own: &mut RingProducer) -> bool {
        self.ring().push(own, RecordKind::Batch, 7, &[], 0).expect("a sound consumer")
    }

    fn pop(&self, own: &mut RingConsumer) -> bool {
        self.ring().pop(own, &mut Vec::new()).expect("a sound producer").is_some()
    }
}

/// The consumer sleeps until there is a record, twice; the ring has room for both.
fn records_wake() {
    let shared = Shared::new();
    let other = Arc::clone(&shared);
    let producing = thread::spawn(move || {
        let mut producer = RingProducer::default();
        for _ in 0..2 {
            if planted("ring_before_push") {
                other.consumer.rouse();
            }
            assert!(other.push(&mut producer));
            if !planted("ring_before_push") {
                other.consumer.rouse();
            }
        }
    });
    let mut consumer = RingConsumer::default();
    for _ in 0..2 {
        while !shared.pop(&mut consumer) {
            shared.consumer.sleep(|| shared.ring().has_record(consumer.position()));
        }
    }
    producing.join().unwrap();
}

/// The producer is refused, and sleeps until the consumer has taken a record.
fn room_wakes() {
    let shared = Shared::new();
    let other = Arc::clone(&shared);
    let mut producer = RingProducer::default();
    assert!(shared.push(&mut producer) && shared.push(&mut producer), "the ring has room for two");
    let consuming = thread::spawn(move || {
        let mut consumer = RingConsumer::default();
        let mut taken = 0;
        while taken < 3 {
            if planted("rouse_before_room") && other.ring().freed(&mut consumer) {
                other.producer.rouse();
            }
            if !other.pop(&mut consumer) {
                yield_now();
                continue;
            }
            taken += 1;
            if !planted("rouse_before_room") && other.ring().freed(&mut consumer) {
                other.producer.rouse();
            }
        }
    });
    while !shared.push(&mut producer) {
        shared.producer.sleep(|| shared.ring().has_fed(&mut producer));
    }
    consuming.join().unwrap();
}
