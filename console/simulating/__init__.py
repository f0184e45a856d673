"""Simulated people who put a load on an installation through the doors that everybody uses.

`line` and `person` speak to a server and know no Django; `player` knows how to play, `crowd` lets
many come at once, `tally` counts. `setting` makes the study they take part in, and reads in the end
what of it was stored.
"""
