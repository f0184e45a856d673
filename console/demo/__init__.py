"""The demonstration: a small study that simulated people, annotators and models go through.

Everything they do goes through the product's own doors; what they say is in two files beside this.
"""

ACTOR = "demonstration"  # in the audit trail
