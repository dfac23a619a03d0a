"""M3xx: trainers."""


class TrainerErrors:
    # fmt: off
    M301 = ("{trainer} cannot train a {structure}: the structure does not offer {missing}. Choose a trainer or settings that do not need it, or another structure.")
    M302 = ("{trainer}: {name} must be a finite number above 0, but is {value}.")
    M303 = ("MTLStruct: the exponent p of the block norm must be finite and at least 1, but is {p}. p = 1 selects templates, p = 2 is the structural SVM.")
    M304 = ("MTLStruct: unknown solver '{solver}'. Choose 'dual_ascent' or 'cutting_plane'.")
    M305 = ("{trainer}: {name} must be a whole number of at least {least}, but is {value}.")
    M320 = "{trainer}: {name} must be true or false, but is {value}."
    M321 = ("StructReg: 'trainer' must be another trainer, with its settings, but is {found}. Give it a block of its own, such as [components.ner.trainer.trainer] with "
            "@mtl_trainers = \"spacy_mtl.Perceptron.v1\".")
    M322 = "StructReg: the wrapped trainer is itself a StructReg, but sentences can be cut only once. Set 'size' of the outer one, and wrap another trainer."
    M323 = "StructReg: the size of a mini-sample must be a number from 1 to 1e15, but is {size}. Sizes of 3 to 10 are usual."
    M324 = ("StructReg: {trainer} learns online, but its training is not an OnlineTraining, so it cannot learn from pieces of sentences. Derive its training from "
            "spacy_mtl.trainers.shared.passes.OnlineTraining, or choose another trainer.")
    M310 = ("OnlineMKL: the regularizer must be 'l2', 'l21' or 'lq', or a sum such as {{\"l21\": 1.0, \"l2\": 0.1}}, but is {regularizer}. Write one of these.")
    M311 = ("OnlineMKL: the exponent q of the regularizer 'lq' must be finite and at least 1, but is {q}. Set q = 1.5 for non-sparse kernel learning.")
    M312 = ("OnlineMKL: unknown {name} '{value}'. Choose one of {known}.")
    M313 = ("OnlineMKL: the schedule 'strongly_convex' needs {missing}. Add it, or choose schedule = \"sqrt\".")
    M306 = ("EG: unknown mode '{mode}'. Choose 'online', 'batch' or 'batch_primal'.")
    M307 = ("EG: eta must be a finite number above 0, null (found while training) or 'safe', but is {eta}.")
    M308 = ("EG: start must be a number from 0 to 1e15, or null (found before training), but is {start}.")
    M325 = ("L1M3N: unknown algorithm '{algorithm}'. Choose one of {known}.")
    M326 = ("L1M3N: threshold must be at least 0 and below 1, but is {threshold}. It is a fraction of the largest weight.")
    M327 = ("L1M3N: algorithm = 'cutting_plane' solves its linear programs with HiGHS, but highspy cannot be imported ({reason}). Install it with: "
            "pip install highspy, or choose another algorithm.")
    M328 = ("L1M3N: HiGHS found no optimum of the linear program over {cuts} cuts and {weights} weights; it stopped with '{status}'. Choose a smaller C, or "
            "another algorithm.")
    M329 = ("L1M3N: HiGHS refuses a linear program with numbers as large as {largest:.2g}, which are values of features or their sums over a sentence. Scale the "
            "features, so that they stay below 1e15, or choose another algorithm.")
    M315 = ("CRF: unknown penalty '{penalty}'. Choose {known}.")
    M316 = ("CRF: unknown algorithm '{algorithm}'. Choose {known}, or null for the one that fits the penalty.")
    M317 = ("CRF: the algorithm '{algorithm}' cannot minimize the penalty '{penalty}'. Choose {fitting}, or null.")
    M318 = ("CRF: eta0 and average are settings of the algorithm 'sgd', but the algorithm is '{method}'. Set algorithm = \"sgd\", or leave them out.")
    M319 = ("CRF: inner_passes must be 1 for the algorithm 'sgd', which learns from sentences as they come, but is {inner_passes}. Use more epochs instead.")
    M370 = "{trainer}: {name} must be a number from {least} to {most}, but is {value}."
    M371 = "{trainer}: {name} must be a whole number of at most {most}, but is {value}."
    M372 = ("{trainer} cannot go on from an earlier model: it does not say that it adds the scores of that model (offsets = True). Choose another trainer, or train anew "
            "with nlp.initialize().")
    M373 = ("{trainer} trains on one thread: threads must be 1, but is {threads}. Leave it out, or choose MTLStruct or SSVM with solver = 'dual_ascent', which "
            "train on several.")
    M374 = ("The shard of {worker} has {what} than that of {first}. Install the same version everywhere, and make all shards with the same index of features "
            "and the same labels.")
    M375 = "The shard of {worker} has no sentence to learn from. Give it a part of the corpus, or use fewer workers."
    M376 = "The shard of {worker} has kernelised blocks, whose weights belong to several features: they are trained on one machine only. Leave these templates out."
    M377 = "{lost} workers were lost while one sum over all shards was made: the workers do not live long enough to train. Look at what ends them, such as memory."
    M378 = ("fit needs a trainer with its settings, such as MTLStruct(p=1.3333, C=0.3), but got {got}. Make one first.")
    M379 = ("fit needs a problem, such as problem_from_arrays or chain_problem makes, but got {got}. Make one first.")
    M350 = "{name} needs a finite radius > 0, but got {radius}. Pass the C or lambda of the trainer, which must be positive."
    M351 = "{name} needs a vector of finite numbers, but got one of shape {shape}. Look for inf or nan in the weights or gradients it came from."
    M352 = "The exponent p of the block norm must be {bound}, but is {p}. Set p = 1 for sparse template weights, p = 2 for a structural SVM."
    M353 = "The start has {got} values for {expected} cuts. Pass at most one alpha per cut; cuts without one start at 0."
    M354 = "Q must have shape (m, s, s) and q shape (s,), with at least one template and one cut, but the shapes are {Q} and {q}. Build both from the same cuts."
    M355 = "Q or q contains inf or nan. Look for cuts made under weights that overflowed."
    M356 = "C must be a finite number above 0, but is {C}. Set C in the trainer's config; 0.01 to 100 are usual."
    M357 = "Unknown conic solver '{solver}'. cvxpy can use {installed} here. Choose one of these, or install the package that provides '{solver}'."
    M358 = ("The solver '{solver}' of cvxpy failed on the subproblem of {m} templates and {s} cuts: {reason}. Choose a solver for "
            "second-order cones, such as CLARABEL, or 'interior_point'.")
    M359 = "Unknown subproblem solver '{solver}'. Use 'interior_point', 'cvxpy', or 'cvxpy:NAME' with the NAME of a conic solver of cvxpy."
    M360 = "Block norms must be a vector of finite numbers of at least 0, but got shape {shape}, or negative or non-finite values. Look for inf or nan in the weights."
    M361 = "The step tau of a proximal operator must be a finite number of at least 0, but is {tau}. Look at the learning rate."
    M362 = "The weights of a regularizer must be finite numbers of at least 0, and its q at least 1, but got {regularizer}."
    # fmt: on


class TrainerWarnings:
    # fmt: off
    M330 = ("{trainer}: pass {n} diverged (its loss is not a number, or far above that of zero weights). Training stops with {kept}. Choose a smaller "
            "learning rate or C.")
    M331 = ("MTLStruct: the cutting plane ends at a relative gap of {gap:.2g} (tol is {tol:g}) at C = {C:g}: the outputs that it finds are cuts already, since "
            "weights have single precision. Choose a larger tol or a smaller C.")
    M332 = ("MTLStruct: after {n} passes of dual ascent the relative gap is {gap:.2g} and hardly falls (tol is {tol:g}, p = {p:g}, C = {C:g}). Training goes on "
            "with solver = \"cutting_plane\". Choose that solver, a smaller C, or a larger tol.")
    M335 = ("{trainer}: no step brings progress in single precision any more, and the relative duality gap is {gap:.1e}, above tol = {tol:g}. Training "
            "stops, and its weights are usable. Choose a larger tol, or a smaller C.")
    M336 = ("{trainer}: after pass {n} the relative duality gap is still {gap:.2g}, at C = {C:g}. {advice} SSVM, whose dual ascent solves the same problem.")
    M337 = ("{trainer}: the relative duality gap is still {gap:.2g} after the last of {rounds} rounds, at C = {C:g}. Raise rounds or inner_passes, or choose a "
            "smaller C or algorithm = 'cutting_plane'.")
    M338 = ("{trainer}: the linear programs cannot be solved more precisely, and the relative duality gap is {gap:.1e}, above tol = {tol:g}. Training stops, and "
            "its weights are usable. Choose a larger tol, or a smaller C.")
    M339 = ("{trainer}: after pass {n} the learning rate is still so large that each step undoes all before it, and the losses are not below those of zero "
            "weights. Choose a smaller eta0 than {eta0:g}, such as {better:.1g}.")
    M340 = ("EG: {lost} of the {n} sentences of before begin again near gold, since their arcs or annotation are others now. Let the components that annotate "
            "them be trained before, or choose a trainer that goes on from its weights, such as MTLStruct.")
    # fmt: on
