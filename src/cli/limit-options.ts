import type { Command } from "commander";
import { amountText } from "../../contract/amounts.ts";
import type { ShownBudget } from "../../contract/keys.ts";
import { readBudget, readCount, readPatterns } from "./read-arguments.ts";

/** Adds the options for limits, which keys and accounts have alike. */
export function withLimits(command: Command): Command {
  return command
    .option("--models <pattern,...>", "the only models it may use; * stands for any text", readPatterns)
    .option("--rpm <n>", "requests a minute", readCount)
    .option("--tpm <n>", "tokens a minute", readCount)
    .option("--concurrent <n>", "requests in flight", readCount)
    .option("--budget <amount/window>", "what it may spend a day, week, month or once, such as 10/day", readBudget);
}

/** A budget in words: `25 a month`, `100 once`. */
export function budgetText({ amount_micro, window }: ShownBudget): string {
  return `${amountText(amount_micro)} ${window === "once" ? window : `a ${window}`}`;
}
