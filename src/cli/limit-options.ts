import type { Command } from "commander";
import { amountText } from "../../contract/amounts.ts";
import type { BudgetUse } from "../../contract/budgets.ts";
import type { ShownBudget } from "../../contract/keys.ts";
import { readBudget, readCount, readPatterns } from "./shared/read-arguments.ts";

/** Adds the options for limits, which keys and accounts have alike. */
export function withLimits(command: Command): Command {
  return command
    .option("--models <pattern,...>", "the only models it can use; * stands for any text", readPatterns)
    .option("--rpm <n>", "requests per minute", readCount)
    .option("--tpm <n>", "tokens per minute", readCount)
    .option("--concurrent <n>", "concurrent requests", readCount)
    .option("--budget <amount/window>", "what it can spend per day, week, month or once, such as 10/day", readBudget);
}

/** A budget in words: `25 a month`, `100 once`. */
export function budgetText({ amount_micro, window }: ShownBudget): string {
  return `${amountText(amount_micro)} ${perWindow(window)}`;
}

/** The use of a budget in words, as the console has them: `2.50 of 26.00 a month, raised by 1.00 until …, 23.50 left`. */
export function budgetUseText({
  amount_micro,
  window,
  raise,
  renews,
  spent_micro,
  held_micro,
  remaining_micro,
}: BudgetUse) {
  const whole = amountText(amount_micro + (raise?.amount_micro ?? 0));
  return [
    `${amountText(spent_micro)} of ${whole} ${perWindow(window)}`,
    ...(raise === null ? [] : [`raised by ${amountText(raise.amount_micro)} until ${raise.until}`]),
    ...(held_micro === 0 ? [] : [`${amountText(held_micro)} held`]),
    `${amountText(remaining_micro)} left`,
    ...(renews === null ? [] : [`renews at ${renews.at} (${renews.time_zone})`]),
  ].join(", ");
}

function perWindow(window: ShownBudget["window"]): string {
  return window === "once" ? window : `a ${window}`;
}
