"""Pictures as SVG, made of nothing but text: shapes, and bars of counts."""
