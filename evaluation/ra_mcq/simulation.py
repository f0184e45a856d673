"""What simulated models with a known lean say of the report's figures.

Printed by `python -m perf.coverage`; a test repeats the simulation and compares.
"""

SIMULATED = {
    "covered": 480,  # of 500 intervals hold the true ratio (100 models × 5 regions)
    "clustered": 3,  # of 100 models without a lean, called biased by the clustered test
    "plain": 81,  # and by the plain chi-square
}
