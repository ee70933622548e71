//! Two streams decoded at once, compared with each stream decoded alone.
//!
//! [`assert_as_alone`] takes two streams and decodes them in steps. The tests of the decoder and the fuzz target
//! `inflate` call it. Bytes and verdicts must be the same.

use pzcomp_deflate::inflate::{
    Defect, Inflate, Invalid, Marked, Output, PairProgress, Pause, Stream, Symbol, decode_pair,
};

/// A stream that is decoded in steps, and all its output.
struct Stepped<S> {
    inflate: Inflate<S>,
    coded: Vec<u8>,
    at: usize,
    step: usize,
    piece: Vec<S>,
    filled: usize,
    plain: Vec<S>,
    end: Option<Result<Pause, Defect>>,
}

/// The output of a stream, and how it ended.
type End<S> = (Vec<S>, Option<Result<Pause, Defect>>);

impl<S: Symbol> Stepped<S> {
    fn new(coded: Vec<u8>, step: usize, piece_len: usize) -> Self {
        let (inflate, piece) = (Inflate::new(), vec![S::literal(0xa5); piece_len]);
        Self { inflate, coded, at: 0, step, piece, filled: 0, plain: Vec::new(), end: None }
    }

    /// Notes the result of a step, after which the piece is filled so far.
    fn stepped(&mut self, result: Result<PairProgress, Invalid>, filled: usize) {
        self.plain.extend_from_slice(&self.piece[self.filled..filled]);
        self.filled = filled;
        match result {
            Err(invalid) => self.end = Some(Err(invalid.defect)),
            Ok(PairProgress { read, pause }) => {
                self.at += read;
                match pause {
                    Some(Pause::Output) => {
                        assert_eq!(self.filled, self.piece.len());
                        self.piece.fill(S::literal(0x5a));
                        self.filled = 0;
                    }
                    Some(Pause::Input) if self.at < self.coded.len() || read > 0 => {}
                    None => {}
                    Some(pause) => self.end = Some(Ok(pause)),
                }
            }
        }
    }

    fn input_end(&self) -> usize {
        self.coded.len().min(self.at.saturating_add(self.step))
    }

    fn alone(mut self) -> End<S> {
        while self.end.is_none() {
            let end = self.input_end();
            let mut output = Output::new(&mut self.piece, self.filled);
            let result = self.inflate.run(&self.coded[self.at..end], &mut output);
            let filled = output.filled();
            self.stepped(result.map(PairProgress::from), filled);
        }
        (self.plain, self.end)
    }
}

/// Decodes both until one has ended, then the other alone.
fn together<S: Symbol, T: Symbol>(mut one: Stepped<S>, mut other: Stepped<T>) -> (End<S>, End<T>) {
    while one.end.is_none() && other.end.is_none() {
        let (end, other_end) = (one.input_end(), other.input_end());
        let mut output = Output::new(&mut one.piece, one.filled);
        let mut other_output = Output::new(&mut other.piece, other.filled);
        let first = Stream { inflate: &mut one.inflate, input: &one.coded[one.at..end], output: &mut output };
        let second = Stream {
            inflate: &mut other.inflate,
            input: &other.coded[other.at..other_end],
            output: &mut other_output,
        };
        let (result, other_result) = decode_pair(first, second);
        let (filled, other_filled) = (output.filled(), other_output.filled());
        one.stepped(result, filled);
        other.stepped(other_result, other_filled);
    }
    (one.alone(), other.alone())
}

fn bytes(symbols: &[Marked]) -> Vec<u8> {
    symbols.iter().map(|symbol| symbol.byte().unwrap()).collect()
}

/// Asserts that two streams decoded at once have the same result as each alone, as bytes and as marked symbols.
pub fn assert_as_alone(streams: [&[u8]; 2], steps: [usize; 2], pieces: [usize; 2], what: &str) {
    let [first, second] = streams.map(<[u8]>::to_vec);
    let alone =
        |place: usize| Stepped::<u8>::new(streams[place].to_vec(), steps[place], pieces[place]).alone();
    let expected = (alone(0), alone(1));
    let one = || Stepped::<u8>::new(first.clone(), steps[0], pieces[0]);
    let two = || Stepped::<u8>::new(second.clone(), steps[1], pieces[1]);
    assert!(together(one(), two()) == expected, "{what}");
    let marked = || Stepped::<Marked>::new(first.clone(), steps[0], pieces[0]);
    let (symbols, plain) = together(marked(), two());
    assert!(
        (bytes(&symbols.0), symbols.1) == expected.0 && plain == expected.1,
        "{what}, the first as symbols"
    );
    let other = Stepped::<Marked>::new(second.clone(), steps[1], pieces[1]);
    let (symbols, others) = together(marked(), other);
    assert!((bytes(&symbols.0), symbols.1) == expected.0, "{what}, both as symbols");
    assert!((bytes(&others.0), others.1) == expected.1, "{what}, both as symbols");
}
