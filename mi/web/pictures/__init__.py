"""Pictures drawn on the server, as SVG without text: what they show stands beside them in words."""
