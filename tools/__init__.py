"""Programs for those who work on contractlab; nothing of it is installed."""
