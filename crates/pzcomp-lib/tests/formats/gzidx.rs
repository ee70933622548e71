//! The `GZIDX` of Python's indexed_gzip: we read its indexes, and it reads ours.

use pzcomp::{Decode, Index, IndexFormat, Seekable};

use crate::common::plain::Random;
use crate::common::{pipe, plain};

/// Makes an index with indexed_gzip, with points every 100,000 bytes.
const EXPORT: &str = "
import indexed_gzip, sys
file = indexed_gzip.IndexedGzipFile(sys.argv[1], spacing=100000)
file.build_full_index()
file.export_index(sys.argv[2])
";

/// Reads parts of the data with indexed_gzip by an index, and compares them with the plain data.
const READ: &str = "
import indexed_gzip, sys
coded, index, plain = sys.argv[1:]
plain = open(plain, 'rb').read()
file = indexed_gzip.IndexedGzipFile(coded, index_file=index)
for offset in [700000, 3, 1300000, 90000, 650000, len(plain) - 10, 0]:
    file.seek(offset)
    assert file.read(70000) == plain[offset:offset + 70000], offset
";

fn python(program: &str, args: &str) {
    // Debian's Python, which has the package of Debian.
    pipe(&format!("/usr/bin/python3 -c \"$(cat)\" {args}"), program.as_bytes());
}

#[test]
fn indexes_are_exchanged_with_indexed_gzip() {
    let data = plain::text(1_500_000);
    let half = data.len() / 2;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("plain"), &data).unwrap();
    let files = [
        pipe("gzip -6", &data),
        pipe("gzip -1n", &data),
        [pipe("gzip -1", &data[..half]), pipe("gzip -9", &data[half..])].concat(),
    ];
    for coded in files {
        std::fs::write(path("coded.gz"), &coded).unwrap();
        python(EXPORT, &format!("{} {}", path("coded.gz"), path("theirs")));
        let options = decode!(Decode::builder(), threads: 2);
        let index = Index::read_from(std::fs::File::open(path("theirs")).unwrap()).unwrap();
        assert_eq!(index.format(), IndexFormat::Gzidx);
        index.verify(&coded, &options).unwrap();
        let seekable = Seekable::with_index(coded.clone(), index, &options).unwrap();
        assert!(seekable.len() == Some(data.len() as u64) && seekable.frames().count() > 3);
        let mut random = Random(3);
        for _ in 0..20 {
            let offset = random.below(data.len() as u64 - 1000) as usize;
            let mut found = [0; 1000];
            assert_eq!(seekable.read_at(&mut found, offset as u64).unwrap(), 1000);
            assert!(found == data[offset..offset + 1000]);
        }
        let ours = Index::build_with_interval(&coded, 100_000, &options).unwrap();
        ours.write_to(IndexFormat::Gzidx, std::fs::File::create(path("ours")).unwrap()).unwrap();
        python(READ, &format!("{} {} {}", path("coded.gz"), path("ours"), path("plain")));
    }
}
