//! Instruction sets chosen at run time, so that one binary is fast on every processor.

/// Work that is compiled once for each instruction set. `run` must be `#[inline(always)]`, and so must everything that
/// it calls in its hot loop: only code that is inlined here is compiled for an instruction set.
pub trait Task {
    /// Does the work.
    fn run(self);
}

/// Runs a task with the best instruction set that this processor has.
pub fn run<T: Task>(task: T) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
        {
            // SAFETY: each feature that `run_avx512` enables was found just above.
            #[expect(unsafe_code, reason = "calling code for an instruction set that was just detected")]
            return unsafe { run_avx512(task) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") {
            // SAFETY: each feature that `run_avx2` enables was found just above.
            #[expect(unsafe_code, reason = "calling code for an instruction set that was just detected")]
            return unsafe { run_avx2(task) };
        }
    }
    task.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
fn run_avx512<T: Task>(task: T) {
    task.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run_avx2<T: Task>(task: T) {
    task.run();
}
