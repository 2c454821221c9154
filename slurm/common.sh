# Sourced by the job scripts of this folder: finds hpcreuse, starts it on all ranks, hands on the warning before the
# time limit, and puts a job that had to stop early back into the queue. README.md lists the HPCREUSE_* variables.
# shellcheck shell=bash

readonly STOPPED=75 # exit code of hpcreuse: stopped early on a signal, the same command again goes on
readonly WORST_OWN=3 # its other exit codes are 0 to 3: whatever is above was done to it

warned='' cancelled='' signals=0 step=''
# Set before anything slow: a signal that meets no trap would end the script
trap 'warned=yes signals=$((signals + 1)); pass_on USR1' USR1
trap 'cancelled=yes signals=$((signals + 1))' TERM

# A job's whole work: run_verb VERB [ARGUMENT...]
run_verb() {
    find_hpcreuse
    compose "$@"
    local info
    info=$("${HPCREUSE[@]}" info 2>&1) || info="hpcreuse info failed: $info"
    choose_launcher "$info"
    banner "$info" "${LAUNCH[@]}" "${HPCREUSE[@]}" "${WORDS[@]}"
    local code=0
    run_step "${LAUNCH[@]}" "${HPCREUSE[@]}" "${WORDS[@]}" || code=$?
    echo "== ended with exit code $code on $(date '+%F %T')"
    if must_go_on "$code"; then
        requeue
    fi
    exit "$code"
}

# Fill WORDS with all that hpcreuse is told: compose VERB [ARGUMENT...]. Variables speak as options do, by the names
# of the configuration file (HPCREUSE_SPIN_MUTABLE_THRESHOLD=0.4 is --mutable-threshold 0.4 of spin); what is on the
# job's own command line comes after them, and so is what counts.
compose() {
    local prefix=HPCREUSE_${1^^}_ name option
    local -a values extra operands=() options=()
    WORDS=("$1")
    shift
    for name in $(compgen -v "$prefix"); do
        option=${name#"$prefix"} option=${option,,} option=${option//_/-}
        read -ra values <<<"${!name}"
        if [[ $option == inputs || $option == run ]]; then
            operands=("${values[@]}")
        elif [[ ${values[*]} == true ]]; then
            options+=("--$option")
        elif [[ ${values[*]} && ${values[*]} != false ]]; then
            if ((${#option} == 1)); then option=-$option; else option=--$option; fi
            options+=("$option" "${values[@]}")
        fi
    done
    # Run or inputs stand before all options, as some of those take any number of values
    if [[ ${1:-} && $1 != -* ]]; then operands=(); fi
    while [[ ${1:-} && $1 != -* ]]; do
        operands+=("$1")
        shift
    done
    read -ra extra <<<"${HPCREUSE_ARGS:-}"
    WORDS+=("${operands[@]}" "${options[@]}" "$@" ${HPCREUSE_CONFIG:+--config "$HPCREUSE_CONFIG"} "${extra[@]}")
}

# Load what the site and the user need for HPCREUSE to be a command that runs
find_hpcreuse() {
    if [[ ${HPCREUSE_MODULES:-} ]]; then
        # Site scripts are seldom written for `set -u`
        set +eu
        # shellcheck disable=SC2086  # several modules
        module load $HPCREUSE_MODULES || { echo "hpcreuse: 'module load $HPCREUSE_MODULES' failed" >&2; exit 1; }
        set -eu
    fi
    local venv=${HPCREUSE_VENV:-}
    if [[ ! $venv && ! ${HPCREUSE_COMMAND:-} ]] && ! command -v hpcreuse >/dev/null; then
        venv=$HPCREUSE_SLURM_DIR/../.venv
    fi
    if [[ $venv ]]; then
        [[ -x $venv/bin/hpcreuse ]] || {
            echo "hpcreuse: not installed in $venv: set HPCREUSE_VENV to the virtual environment that has it" >&2
            exit 1
        }
        PATH=$(cd "$venv/bin" && pwd):$PATH
        export PATH
    fi
    read -ra HPCREUSE <<<"${HPCREUSE_COMMAND:-hpcreuse}"
}

# Fill LAUNCH with the words that start a command on all ranks
choose_launcher() {
    local info=$1 ranks=${SLURM_NTASKS:-}
    ranks=${ranks:-$(cores)}
    # srun no longer takes this from sbatch by itself (since Slurm 22.05)
    export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1}
    read -ra LAUNCH <<<"${HPCREUSE_LAUNCH:-srun}"
    case $(basename "${LAUNCH[0]}") in
        srun)
            local mpi=${HPCREUSE_MPI:-$(mpi_plugin "$info")}
            # -K: a rank that dies must take the others with it, they would wait for ever
            LAUNCH+=(-K --ntasks="$ranks" ${mpi:+--mpi="$mpi"})
            ;;
        *) LAUNCH+=(-n "$ranks") ;;
    esac
}

# Name the srun plugin that the MPI library of hpcreuse speaks to; nothing if this Slurm has it not, so that the site's
# own default is used (hpcreuse refuses to run if that does not fit either)
mpi_plugin() {
    local library wanted=pmi2
    library=$(grep -i '^mpi library' <<<"$1" || true)
    case $library in
        *"Open MPI"*) wanted=pmix ;;
        *CRAY*) wanted=cray_shasta ;;
    esac
    if grep -qw "$wanted" <<<"$(srun --mpi=list 2>&1)"; then
        echo "$wanted"
    fi
}

# Count the tasks that fit the job's processors, for jobs submitted without --ntasks: 4(x2),3 means 4, 4 and 3
cores() {
    local part total=0
    for part in ${SLURM_JOB_CPUS_PER_NODE//,/ }; do
        [[ $part =~ ^([0-9]+)(\(x([0-9]+)\))?$ ]]
        # shellcheck disable=SC2017  # whole tasks per node
        total=$((total + BASH_REMATCH[1] / ${SLURM_CPUS_PER_TASK:-1} * ${BASH_REMATCH[3]:-1}))
    done
    echo "$total"
}

# Say what is about to run, and on what
banner() {
    local info=$1
    shift
    echo "== $SLURM_JOB_NAME, job $(job_name), restart ${SLURM_RESTART_COUNT:-0}, on $SLURM_JOB_NODELIST," \
        "$(date '+%F %T'), $(srun --version)"
    echo "$info"
    echo "== in $PWD:$(printf ' %q' "$@")"
}

# Run a command in the background, as bash handles signals only between commands or in `wait`
run_step() {
    local code caught
    # Told to stop before it began: what it would start, Slurm would have to kill
    if [[ $warned$cancelled ]]; then return "$STOPPED"; fi
    "$@" </dev/null &
    step=$!
    # The warning may have come just before there was anybody to warn
    if [[ $warned ]]; then pass_on USR1; fi
    while true; do
        caught=$signals
        code=0
        wait "$step" || code=$?
        # A signal ends `wait` early, the second as the first: wait again
        if ((caught == signals)); then break; fi
    done
    return "$code"
}

# Launchers hand signals on to the ranks
pass_on() {
    echo "== $1 received on $(date '+%F %T')"
    if [[ $step ]]; then kill -s "$1" "$step" 2>/dev/null || true; fi
}

# Whether the job was interrupted and nobody wants it to end. A launcher may report ranks that were on their way out
# as killed, so after a warning any code but hpcreuse's own means that it was stopped.
must_go_on() {
    local code=$1
    if ! ((code == STOPPED)) && ! { [[ $warned ]] && ((code > WORST_OWN)); }; then
        return 1
    fi
    # scancel sends the ranks SIGTERM and so also gives 75, but a cancelled job must stay cancelled
    [[ ! $cancelled && $(scontrol show job "$(job_name)" | sed -n 's/^ *JobState=\([A-Z]*\).*/\1/p') == RUNNING ]]
}

requeue() {
    local restarts=${SLURM_RESTART_COUNT:-0} most=${HPCREUSE_MAX_RESTARTS:-20}
    if ((restarts >= most)); then
        echo "hpcreuse: stopped early and not requeued after $restarts restarts (HPCREUSE_MAX_RESTARTS=$most):" \
            "submit again with a longer --time" >&2
        return
    fi
    echo "== requeued: goes on where it stopped"
    scontrol requeue "$(job_name)"
}

# A task of an array must be named as such: its bare number may stand for the whole array
job_name() {
    if [[ ${SLURM_ARRAY_JOB_ID:-} ]]; then
        echo "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
    else
        echo "$SLURM_JOB_ID"
    fi
}
