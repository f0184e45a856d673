"""What is read of games: rows of one game that every command needs (`rows`)."""
