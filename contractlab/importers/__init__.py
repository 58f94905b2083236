"""What a team already has (traces, logs, benchmark runs) to a replay of contract version 2."""
