//! The functions that the fuzz targets call: each gives any bytes to a reader of a job's files. No reader may panic. If
//! the bytes can be read, then what was read is written and read again, and must stay the same.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::compile::Word;
use crate::engine::{Engine, JobFolder, Span};
use crate::job::{JobPlace, Manifest, Reader, WordsReader, WordsWriter, digest, read_array, write_array};
use crate::run::{Options, Store};

/// Reads a file of words.
///
/// # Panics
///
/// If the words change when they are written and read again.
pub fn words<W: Word>(bytes: &[u8]) {
    let Some(found) = read::<W>(bytes) else { return };
    let (mut writer, mut file) = (WordsWriter::new(), Vec::new());
    writer.write(&found, &mut file).expect("a list takes all");
    writer.finish(&mut file).expect("a list takes all");
    assert_eq!(read::<W>(&file), Some(found));
}

/// Reads the bytes as a file of words, once for each width of words.
pub fn all_words(bytes: &[u8]) {
    words::<u32>(bytes);
    words::<u64>(bytes);
    words::<u128>(bytes);
    words::<[u64; 4]>(bytes);
}

fn read<W: Word>(bytes: &[u8]) -> Option<Vec<W>> {
    let (mut reader, mut found) = (WordsReader::new(Reader::of(bytes)), Vec::new());
    while reader.next(&mut found).ok()? {}
    Some(found)
}

/// Reads a file of an array. The first three bytes are the size of the array, up to a million bytes.
///
/// # Panics
///
/// If the array changes when it is written and read again.
pub fn array(bytes: &[u8]) {
    let Some((size, file)) = bytes.split_first_chunk::<3>() else { return };
    let size = usize::from(size[0] & 15) << 16 | usize::from(size[1]) << 8 | usize::from(size[2]);
    let whole = |file: &[u8]| {
        let mut array = vec![0; size];
        read_array(Reader::of(file), size, &mut |begin, stretch| {
            array[begin..][..stretch.len()].copy_from_slice(stretch);
            Ok(())
        })
        .ok()
        .map(|()| array)
    };
    if let Some(array) = whole(file) {
        let mut file = Vec::new();
        write_array(&array, &mut file).expect("a list takes all");
        assert_eq!(whole(&file), Some(array));
    }
}

/// Reads a manifest twice: as it is, and with its checksum corrected.
///
/// # Panics
///
/// If the manifest changes when it is written and read again.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for text in [text.to_owned(), Manifest::sealed(text)] {
        if let Ok(manifest) = Manifest::from_text(&text) {
            assert_eq!(Manifest::from_text(&manifest.to_text()), Ok(manifest));
        }
    }
}

/// Two jobs of this process, one for each store: each an engine and the folder of a finished run.
fn jobs() -> &'static [(Engine, PathBuf)] {
    static JOBS: OnceLock<Vec<(Engine, PathBuf)>> = OnceLock::new();
    JOBS.get_or_init(|| {
        let swap = |at: usize| {
            format!(r#"{{"name": "{at}", "then": [[{at}, {{"copy": {0}}}], [{0}, {{"copy": {at}}}]]}}"#, at + 1)
        };
        let tiles = format!(
            r#"{{"symbols": ["a", "b", "c", "d", "e"], "start": ["a", "b", "c", "d", "e"], "moves": [{}]}}"#,
            [0, 1, 2, 3].map(swap).join(", ")
        );
        let engine =
            || Engine::new(&serde_json::from_str(&tiles).expect("the rules are well-formed")).expect("and true");
        let base = std::env::temp_dir().join(format!("puzzlekit-fuzz-{}", std::process::id()));
        let job = |store: Store| {
            let (engine, folder) = (engine(), base.join(store.name()));
            let _ = fs::remove_dir_all(&folder);
            let options = Options { store, max_depth: Some(6), threads: 1, ..Options::default() };
            engine
                .enumerate_job(&options, &keep(&folder, false), &|_| ControlFlow::Continue(()))
                .expect("there is room");
            (engine, folder)
        };
        vec![job(Store::Sparse), job(Store::Dense)]
    })
}

fn keep(folder: &Path, resume: bool) -> JobFolder {
    JobFolder { place: JobPlace::new(folder), resume, puzzle: "fuzz".to_owned(), ..JobFolder::default() }
}

/// Writes any bytes to one of the files of a job, and a manifest that expects them. Then reads, checks and resumes the
/// job.
///
/// # Panics
///
/// Only if there is a bug.
pub fn job(bytes: &[u8]) {
    let Some((&[store, file], content)) = bytes.split_first_chunk::<2>() else { return };
    let (engine, whole) = &jobs()[usize::from(store) % 2];
    let folder = whole.with_extension("damaged");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("there is room");
    let mut manifest = Manifest::of_folder(whole).expect("it was written");
    for entry in manifest.files() {
        fs::copy(whole.join(&entry.name), folder.join(&entry.name)).expect("there is room");
    }
    let depth = usize::from(file) % manifest.depths.len();
    let files = &mut manifest.depths[depth].files;
    let last = files.len() - 1;
    let entry = &mut files[usize::from(file / 16).min(last)];
    entry.bytes = content.len() as u64;
    entry.checksum = digest().update(content).finalize().to_hex().to_string();
    fs::write(folder.join(&entry.name), content).expect("there is room");
    fs::write(folder.join("manifest.json"), manifest.to_text()).expect("there is room");
    let watch = |_: &crate::Progress| ControlFlow::Continue(());
    let _ = engine.verify_job(1 << 20, &keep(&folder, true), &watch);
    let _ = engine.read_job(&keep(&folder, true), &Span::default(), &watch, &mut |_| Ok(()));
    let options = Options { max_depth: Some(8), threads: 1, ..Options::default() };
    let _ = engine.enumerate_job(&options, &keep(&folder, true), &watch);
}
