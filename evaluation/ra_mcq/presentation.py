"""How reports of RA-MCQ are shown."""

from evaluation.benchmarks import Presentation
from evaluation.ra_mcq import figures, tables, words

PRESENTATION = Presentation(
    heading="What it chose",
    reading="evaluation/_reading_ra_mcq.html",
    finding=words.finding,
    in_words=words.in_words,
    tables=tables.tables,
    figures=figures.figures,
    compared=figures.compared,
    compared_tables=figures.compared_tables,
)
