"""Every read of annotation that is more than a filter, by subject."""
