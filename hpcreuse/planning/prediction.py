"""The whole plan: sample, rates, sizes, stages, as one record."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hpcreuse.crawl.pages import Limits
from hpcreuse.crawl.partitions import Partition, plan
from hpcreuse.page.options import DigestOptions
from hpcreuse.parallel.phases import Phases
from hpcreuse.parallel.world import World
from hpcreuse.planning.estimates import Estimates
from hpcreuse.planning.ranks import Outlook, fewer_ranks
from hpcreuse.planning.rates import Rates, measure
from hpcreuse.planning.sample import Sample, partitions_with_bytes, take_sample
from hpcreuse.planning.sizes import Job, Sizes
from hpcreuse.planning.slurm import sbatch_lines
from hpcreuse.planning.stages import Stage, all_stages
from hpcreuse.store.shard_writer import ShardWriter


@dataclass(frozen=True)
class Request:
    """What to plan for, and how to sample."""

    inputs: tuple[str, ...]
    url_prefix: str | None
    options: DigestOptions
    limits: Limits
    job: Job
    sample_bytes: int
    seed: int
    scratch: Path
    network: float
    ranks_per_node: int
    started: float
    resident: int


def predict(world: World, request: Request) -> dict[str, Any]:
    """Collective. Sample the input, measure, and give the plan; every rank gets it."""
    phases = Phases()
    with phases("list"):
        partitions = world.on_root(lambda: partitions_with_bytes(plan(request.inputs, request.url_prefix)))
    with phases("sample"):
        writer = ShardWriter(request.options.width)
        mine, sample = take_sample(
            world, partitions, request.sample_bytes, request.seed, request.options, request.limits, writer
        )
    with phases("measure"):
        rates = measure(world, mine, writer, request.scratch, request.started, request.resident)
    with phases("predict"):
        predicted = world.on_root(work_out, request, sample, partitions, rates)
    # Apart from the rest, where `seconds` are those of the job to come
    return {**predicted, "planning": phases.summary(world)}


def work_out(request: Request, sample: Sample | None, partitions: list[Partition], rates: Rates) -> dict[str, Any]:
    """Put the plan together."""
    assert sample is not None, "rank 0 has the sample"
    estimates = Estimates.of(sample, request.job.pages is not None)

    def on(ranks: int) -> Outlook:
        job = replace(request.job, ranks=ranks)
        sizes = Sizes.of(job, estimates, partitions, rates.empty_shard, rates.empty_piece)
        return Outlook(ranks, sizes, all_stages(job, sizes, estimates, rates, request.network))

    planned = on(request.job.ranks)
    return {
        "sample": {
            "bytes": sample.bytes_read,
            "input_bytes": sample.input_bytes,
            "blocks": len(sample.blocks),
            "pages": int(sample.column("pages").sum()),
            "chunks": int(sample.chunks.sum()),
            "seed": request.seed,
        },
        "job": asdict(request.job),
        "sizes": {name: rounded(value) for name, value in asdict(planned.sizes).items()},
        "errors": {
            "pages": round(estimates.pages_error, 4),
            "chunks": round(estimates.chunks_error, 4),
            "payload_bytes": round(estimates.payload_error, 4),
        },
        "heaps": {
            "beta_chunks": round(estimates.chunk_growth.beta, 4),
            "beta_files": round(estimates.file_growth.beta, 4),
        },
        "rates": asdict(rates),
        "network_bytes_per_second": request.network,
        "stages": [record(stage, request) for stage in planned.stages],
        "seconds": planned.seconds,
        "fewer_ranks": fewer_ranks(planned, on),
    }


def rounded(value: float) -> float:
    """Give counts and bytes as whole numbers; shares and factors as they are."""
    return round(value) if value >= 100 else round(value, 6)


def record(stage: Stage, request: Request) -> dict[str, Any]:
    """Give a stage for a summary."""
    return {
        "stage": stage.name,
        "seconds": stage.seconds,
        "parts": stage.parts,
        "memory_per_rank": round(stage.memory),
        "passes": stage.passes,
        "exchanged_per_rank": round(stage.exchanged),
        "disk": round(stage.written),
        "sbatch": sbatch_lines(stage, request.job.ranks, request.ranks_per_node),
    }
