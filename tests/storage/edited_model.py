"""Edits of a saved model's document, with a checksum that matches."""

import json

from segboost.storage import folder as storage


def edit_document(model, change):
    """Change the document and update its checksum to match."""
    path = model / "model.json"
    document = json.loads(path.read_text())
    document.pop("sha256")
    change(document)
    document["sha256"] = storage._checksum(document)
    path.write_text(json.dumps(document))


def edit_content(model, change):
    """Change the content of the document and update its checksum to match."""
    edit_document(model, lambda document: change(document["content"]))
