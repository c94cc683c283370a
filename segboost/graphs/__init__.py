"""Energies on graphs: exact minimisation for two labels, move-making algorithms for several."""
