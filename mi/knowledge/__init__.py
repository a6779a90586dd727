"""What MI knows: thoughts (claims, nodes, edges) and the text index that finds them."""
