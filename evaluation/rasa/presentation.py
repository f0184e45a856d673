"""How reports of RASA are shown."""

from evaluation.benchmarks import Presentation
from evaluation.rasa import compared, figures, tables, words

PRESENTATION = Presentation(
    heading="What it knows",
    reading="evaluation/_reading_rasa.html",
    finding=words.finding,
    in_words=words.in_words,
    tables=tables.tables,
    figures=figures.figures,
    compared=compared.figures,
    compared_tables=compared.tables,
)
