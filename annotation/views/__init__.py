"""Pages of annotation by subject: parse, one call, render."""
