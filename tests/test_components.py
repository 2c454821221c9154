"""Connected components over ranks: chains, stars, giant components, none."""

import pytest
from mpi import program


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 16])
def test_components_are_those_of_union_find(ranks: int) -> None:
    program(ranks, "components.py", "7")
