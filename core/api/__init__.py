"""What every endpoint of the API shares: errors, reading what is sent, pages."""
