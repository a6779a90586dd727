"""The toolsets: one module each with TOOLS, INSTRUCTIONS and, where it offers some, RESOURCES."""
