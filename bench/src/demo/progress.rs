//! How far the demonstration is: a bar on a terminal, else a line for each program.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Written to standard error.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Of so many steps.
    pub fn new(steps: usize) -> Self {
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar }
    }

    /// A program's turn begins. Where no bar shows, that is a line.
    pub fn program(&self, text: &str) {
        if self.bar.is_hidden() {
            eprintln!("{text}");
        }
    }

    /// A step begins.
    pub fn step(&self, text: String) {
        self.bar.set_message(text);
    }

    /// A step is done.
    pub fn done(&self) {
        self.bar.inc(1);
    }

    /// All are done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
