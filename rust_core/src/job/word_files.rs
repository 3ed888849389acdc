//! Files of sorted words: the states of a depth, and runs of a depth that is not done. `codec.rs` has the form of their
//! bytes.

use super::codec::{WordsReader, WordsWriter};
use super::disk::{FileEntry, NewFile};
use super::folder::Job;
use super::kinds::{FileName, Kind};
use super::lists::ListReader;
use crate::compile::Word;
use crate::error::Result;

impl Job {
    /// Writes a file of the next depth: sorted words.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_words<W: Word>(&mut self, kind: Kind, words: &[W]) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let mut file = self.new_words(kind)?;
        file.write(self, &[words])?;
        file.keep(self)
    }

    /// Writes a run: sorted words of one kind, which are some of the words of the next depth.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_run<W: Word>(&mut self, kind: Kind, words: &[W]) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let mut file = self.new_run(kind)?;
        file.write(self, &[words])?;
        file.keep(self)
    }

    /// Begins a file of the next depth, for words that come in order.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn new_words<W: Word>(&self, kind: Kind) -> Result<NewWords<W>> {
        self.begin_words(self.name(kind))
    }

    /// Begins a run of the next depth, for words that come in order.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn new_run<W: Word>(&self, kind: Kind) -> Result<NewWords<W>> {
        self.begin_words(self.run_name(kind))
    }

    fn begin_words<W: Word>(&self, name: FileName) -> Result<NewWords<W>> {
        let file = self.disk.create(&name.to_string())?;
        Ok(NewWords { file, words: WordsWriter::new() })
    }

    /// Calls a function with the words of one kind of a depth, some at a time, if the depth has such a file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn read_words<W: Word>(
        &self,
        depth: usize,
        kind: Kind,
        found: &mut dyn FnMut(&[W]) -> Result<()>,
    ) -> Result<()> {
        let Some(mut reader) = self.words(depth, kind)? else { return Ok(()) };
        let mut words = Vec::new();
        while reader.next(&mut words)? {
            found(&words)?;
            words.clear();
        }
        Ok(())
    }

    /// A reader of the words of one kind of a depth, if the depth has such a file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn words<W: Word>(&self, depth: usize, kind: Kind) -> Result<Option<WordsReader<W>>> {
        self.file(depth, kind).map(|entry| Ok(WordsReader::new(self.read(entry)?))).transpose()
    }

    /// A reader of a list that another shard has sent.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn list_of(&self, entry: &FileEntry) -> Result<ListReader> {
        Ok(ListReader::new(self.read_piece(entry)?))
    }

    /// A reader of the words of a piece (run) of the depth that is not done.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn words_of<W: Word>(&self, entry: &FileEntry) -> Result<WordsReader<W>> {
        Ok(WordsReader::new(self.read_piece(entry)?))
    }
}

/// A file of the next depth that is being written.
pub struct NewWords<W> {
    file: NewFile,
    words: WordsWriter<W>,
}

impl<W: Word> NewWords<W> {
    /// Writes further words, in parts that follow one another.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write(&mut self, job: &Job, parts: &[impl AsRef<[W]>]) -> Result<()> {
        let parts: Vec<&[W]> = parts.iter().map(AsRef::as_ref).collect();
        let written = self.words.write_parts(&parts, &mut self.file);
        written.map_err(|error| job.disk.failed(self.file.name(), &error))
    }

    /// Completes the file, and adds it to the files that the next manifest will name.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn keep(mut self, job: &mut Job) -> Result<()> {
        let written = self.words.finish(&mut self.file);
        written.map_err(|error| job.disk.failed(self.file.name(), &error))?;
        job.staged.push(job.disk.keep(self.file)?);
        Ok(())
    }
}
