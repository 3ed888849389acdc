//! The states of a job as a stream of batches, for which the reader asks one by one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ArrowError;

use super::columns::Columns;
use crate::engine::{Engine, JobFolder, Span};
use crate::error::{Error, Result};
use crate::job::Manifest;
use crate::rules::Notation;

/// The number of batches that are made before the reader asks for them.
const AHEAD: usize = 2;

impl Engine {
    /// The states of a job, batch by batch. A thread of its own makes the batches, a few ahead of the reader, and ends
    /// with the stream.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::read_job`]. Errors that occur later come in the stream.
    pub fn stream_job(
        self: Arc<Self>,
        keep: JobFolder,
        span: Span,
        notation: Option<Notation>,
    ) -> Result<impl RecordBatchReader + Send + 'static> {
        // This read begins after the last depth, so it reads no state. But it returns an error if the job has other
        // rules.
        let none = Span { first: u64::MAX, ..span };
        self.read_job(&keep, &none, &|_| std::ops::ControlFlow::Continue(()), &mut |_| Ok(()))?;
        let columns = Columns::new(&Manifest::of_folder(keep.folder())?, self.rules(), notation);
        let schema = Arc::clone(&columns.schema);
        let (send, receive) = sync_channel::<std::result::Result<RecordBatch, ArrowError>>(AHEAD);
        let work = move || {
            let watch = |_: &crate::Progress| std::ops::ControlFlow::Continue(());
            let read = || {
                self.read_job(&keep, &span, &watch, &mut |rows| {
                    // Sending fails if the reader has dropped the stream. Then the thread stops.
                    send.send(Ok(columns.batch(rows)?)).map_err(|_| Error::Stopped)
                })
            };
            // A panic becomes an error in the stream. If the stream just ended, the reader would take it for complete.
            let made = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
                Err(Error::Memory("a batch cannot be made; ask for fewer rows at a time".to_owned()))
            });
            if let Err(error) = made {
                let _ = send.send(Err(ArrowError::ExternalError(Box::new(error))));
            }
        };
        std::thread::Builder::new()
            .name("puzzlekit-stream".to_owned())
            .spawn(work)
            .map_err(|error| Error::Memory(format!("no thread can be started to read the job: {error}")))?;
        Ok(RecordBatchIterator::new(receive, schema))
    }
}
