"""The hub: where the homes of a team meet, in a PostgreSQL of their own."""
