"""Every kind of evidence as a typed record, found by its kind and declared only when it is needed."""
