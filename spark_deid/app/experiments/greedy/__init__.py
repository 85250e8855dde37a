"""The paper's experiments: methods, folds and loss ratios, with attackers, budgets and publish ratios."""
