"""Pictures drawn on the server, as SVG: each module says where everything stands, its template draws it."""
