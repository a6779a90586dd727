"""The page, `mi web`: what the commands show and do, in a browser; it holds no state of its own."""
