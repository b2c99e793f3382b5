"""Plans before people are paid: queries, depth, judgments a pair, hours and cost; and what came of the chosen one."""
