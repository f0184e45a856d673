"""Every write of annotation, by subject.

Lock order: project, then task, then its assignments.
"""
