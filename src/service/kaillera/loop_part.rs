//! What the service does on one event loop.

use super::{
    WorkerPart,
    exchange::{Exchange, OUTLET, Outlet, TURN},
    ingress::{From, Ingress},
    post::Post,
};
use crate::{
    actor::Bell,
    buffer::Frame,
    metrics::Reason,
    net::{
        Lost, Progress, Service,
        sys::{Arrival, Transmit},
    },
    timer::Time,
};
use std::{collections::VecDeque, sync::Arc};

/// What one event loop does for Kaillera, its actors included in inline mode.
#[derive(Debug)]
pub struct LoopPart {
    index: usize,
    ingress: Ingress,
    inline: Option<WorkerPart>,
    /// Per socket, what goes out.
    queues: Vec<VecDeque<Transmit>>,
    post: Post,
    exchange: Arc<Exchange>,
    bell: Arc<Bell>,
}

impl LoopPart {
    pub(super) fn new(
        exchange: &Arc<Exchange>,
        index: usize,
        ports: &[u16],
        inline: Option<WorkerPart>,
        bell: Arc<Bell>,
    ) -> Self {
        let queue = || VecDeque::with_capacity(TURN);
        Self {
            index,
            ingress: Ingress::new(exchange, index, ports.to_vec()),
            inline,
            queues: ports.iter().map(|_| queue()).collect(),
            post: Post::new(exchange.clone()),
            exchange: exchange.clone(),
            bell,
        }
    }

    /// What wakes the loop's thread.
    pub fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    /// The actors that run on this loop, in inline mode.
    pub fn actors(&self) -> Option<&WorkerPart> {
        self.inline.as_ref()
    }

    fn collect(&mut self, now: Time) {
        self.ingress.collect(&self.exchange);
        if let Some(inline) = &self.inline {
            let queues = &mut self.queues;
            let exchange = &self.exchange;
            inline.take_own_transmits(|socket, transmit| {
                enqueue(queues, exchange, usize::from(socket), transmit, now);
            });
        }
        let Some(outlet) = self.exchange.outlet(self.index) else {
            return;
        };
        while let Some((socket, transmit)) = outlet.transmits.pop() {
            enqueue(
                &mut self.queues,
                &self.exchange,
                usize::from(socket),
                transmit,
                now,
            );
        }
    }

    fn outlet(&self) -> Option<&Outlet> {
        self.exchange.outlet(self.index)
    }
}

impl Service for LoopPart {
    fn datagram(&mut self, now: Time, socket: usize, arrival: Arrival, frame: Frame) {
        let from = From {
            socket: socket as u8,
            arrival,
        };
        if let Some(answer) = self.ingress.datagram(now, from, frame, &self.post) {
            enqueue(&mut self.queues, &self.exchange, socket, answer, now);
        }
    }

    fn received(&mut self, now: Time, datagrams: usize, bytes: usize, lost: Lost) {
        let metrics = &self.exchange.metrics;
        metrics.datagrams_in.add(datagrams as u64);
        metrics.bytes_in.add(bytes as u64);
        for _ in 0..lost.truncated {
            self.exchange.count_drop(Reason::TooLong, None, now);
        }
        for _ in 0..lost.starved {
            self.exchange.count_drop(Reason::NoBufferIn, None, now);
        }
    }

    fn sent(&mut self, datagrams: usize, failed: usize) {
        self.exchange.metrics.datagrams_out.add(datagrams as u64);
        if failed > 0 {
            self.exchange.metrics.send_failures.add(failed as u64);
        }
    }

    fn turn(&mut self, now: Time) -> Progress {
        let progress = match &mut self.inline {
            Some(worker) => worker.turn(now),
            None => Progress {
                more: false,
                deadline: None,
            },
        };
        self.post.ring();
        self.collect(now);
        progress
    }

    fn queue(&mut self, socket: usize) -> Option<&mut VecDeque<Transmit>> {
        self.queues.get_mut(socket)
    }

    fn about_to_sleep(&mut self) -> bool {
        self.bell.about_to_sleep();
        let idle = self.inline.as_ref().is_none_or(WorkerPart::is_idle)
            && self
                .outlet()
                .is_none_or(|outlet| outlet.transmits.is_empty() && outlet.closed.is_empty());
        if !idle {
            self.bell.awake();
        }
        idle
    }

    fn awake(&mut self) {
        self.bell.awake();
    }
}

fn enqueue(
    queues: &mut [VecDeque<Transmit>],
    exchange: &Exchange,
    socket: usize,
    transmit: Transmit,
    now: Time,
) {
    match queues.get_mut(socket) {
        Some(queue) if queue.len() < OUTLET => queue.push_back(transmit),
        _ => exchange.count_drop(Reason::SendQueueFull, Some(transmit.peer), now),
    }
}
