"""The papers on dependency trees: MSTParser's templates, weighed by MTLStruct and by OnlineMKL, and trees that are cut."""
