"""RA-MCQ: which regions a model speaks for when a multiple-choice question names none.

Protocol and formulas: arXiv 2601.15550. `plan` orders the options of every request, `metrics`
turns what was chosen into the figures of the report.
"""
