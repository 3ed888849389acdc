//! Work behind a pointer, so that the code that hands it to threads, or looks for signals meanwhile, is compiled once.
//!
//! A pointer to a closure would hide the type of the work, too. But for each closure that has one, the compiler also
//! makes a function that calls the closure by value, with a row in the tables for unwinding. Nobody calls it. The
//! traits here have one function each.

/// Work for numbers. It may be called on several threads at the same time.
pub trait NumberedWork: Sync {
    /// Does the work for one number.
    fn with(&self, number: usize);
}

impl<F: Fn(usize) + Sync> NumberedWork for F {
    fn with(&self, number: usize) {
        self(number);
    }
}

/// Work that is done once. `A` is the type of its argument.
pub trait SingleWork<A>: Send {
    /// Does the work. Nothing happens if it has been done already.
    fn run(&mut self, argument: A);
}

/// A function that is called once, and its result afterwards.
pub struct Called<F, T> {
    function: Option<F>,
    result: Option<T>,
}

impl<F, T> Called<F, T> {
    /// Keeps a function that has not been called yet.
    pub fn new(function: F) -> Self {
        Self { function: Some(function), result: None }
    }

    /// The result. `None` if the function was not called.
    pub fn into_result(self) -> Option<T> {
        self.result
    }
}

impl<A, T: Send, F: FnOnce(A) -> T + Send> SingleWork<A> for Called<F, T> {
    fn run(&mut self, argument: A) {
        if let Some(function) = self.function.take() {
            self.result = Some(function(argument));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_once_and_keeps_its_result() {
        let mut called = Called::new(|text: &str| text.len());
        assert_eq!(called.result, None);
        let work: &mut dyn for<'a> SingleWork<&'a str> = &mut called;
        work.run("four");
        work.run("again");
        assert_eq!(called.into_result(), Some(4));
    }
}
