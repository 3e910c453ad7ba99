//! Which of its launcher's processes this one is, by the variables that launchers set. Processes that are in no job with others
//! write files of their own by it.

/// The variables, those of MPIs before those of batch systems that may have started them: Open MPI, PMI (MPICH, Intel MPI), MVAPICH, jsrun, flux, PMIx, PALS, aprun, srun.
const RANKS: [&str; 9] = [
    "OMPI_COMM_WORLD_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "JSM_NAMESPACE_RANK",
    "FLUX_TASK_RANK",
    "PMIX_RANK",
    "PALS_RANKID",
    "ALPS_APP_PE",
    "SLURM_PROCID",
];

/// The rank; 0 without a launcher.
pub(super) fn rank(environment: impl Fn(&str) -> Option<std::ffi::OsString>) -> u32 {
    let number = |variable: &&str| environment(variable)?.to_str()?.trim().parse().ok();
    RANKS.iter().find_map(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_that_of_the_nearest_launcher() {
        let of = |set: &[(&str, &str)]| {
            rank(|name| set.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).into()))
        };
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("PMI_RANK", "3")]), 3);
        assert_eq!(of(&[("OMPI_COMM_WORLD_RANK", "1"), ("SLURM_PROCID", "7")]), 1);
        assert_eq!(of(&[("PMI_RANK", "none"), ("SLURM_PROCID", "7")]), 7);
    }
}
