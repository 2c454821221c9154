"""Connected components over ranks: chains, stars, giant components, none."""

import pytest
from mpi import TABLE_RANKS, program


@pytest.mark.parametrize("ranks", TABLE_RANKS)
def test_components_are_those_of_union_find(ranks: int) -> None:
    program(ranks, "components.py", "7")
