"""The live model: a quick classifier that is refitted after every stroke."""
