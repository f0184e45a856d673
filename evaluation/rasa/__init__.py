"""RASA: what a model knows of each region when the question names it, in short answers.

Protocol: arXiv 2601.15550. `plan` names the region in a question, `metrics` turns the verdicts of
judges into the figures of a report and of a comparison of runs.
"""
