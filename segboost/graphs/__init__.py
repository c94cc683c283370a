"""Binary energies on graphs: exact minimisation and min-marginals."""
