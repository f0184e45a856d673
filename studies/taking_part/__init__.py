"""What a participant sees before and after the activity itself."""
