import type { Command } from "commander";
import type { AccountLimits } from "../../contract/accounts.ts";
import { amountText } from "../../contract/amounts.ts";
import type { BudgetUse, ModelLimitUse } from "../../contract/budgets.ts";
import type { ShownBudget, ShownModelLimit, UpdateKey } from "../../contract/keys.ts";
import { readBudget, readCount, readModelLimit, readPatterns } from "./shared/read-arguments.ts";

export interface LimitOptions {
  readonly models?: string[];
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrent?: number;
  readonly budget?: UpdateLimits["budget"];
  readonly modelLimit?: UpdateLimits["model_limits"];
}

type UpdateLimits = Pick<UpdateKey, "budget" | "model_limits">;

/** The fields of a request body. JSON leaves out fields that are undefined. */
export function limitsIn({ models, rpm, tpm, concurrent, budget, modelLimit: model_limits }: LimitOptions) {
  return { models, rpm, tpm, concurrent, budget, model_limits };
}

/** The fields of limits that hold for all models together. `otherwise`: what stands in place of a limit that is not set. */
export function limitFields(
  { models, rpm, tpm, concurrent }: Pick<AccountLimits, "models" | "rpm" | "tpm" | "concurrent">,
  otherwise: string,
) {
  return [
    ["models", models?.join(", ") ?? otherwise] as const,
    ["requests per minute", rpm?.toString() ?? otherwise] as const,
    ["tokens per minute", tpm?.toString() ?? otherwise] as const,
    ["concurrent requests", concurrent?.toString() ?? otherwise] as const,
  ];
}

export function budgetWords(budget: ShownBudget | null, use: BudgetUse | null): string {
  if (use !== null) return budgetUseText(use);
  return budget === null ? "none" : budgetText(budget);
}

/** Adds the options for limits, which keys, projects and accounts have alike. */
export function withLimits(command: Command): Command {
  return command
    .option("--models <pattern,...>", "the only models it can use; * stands for any text", readPatterns)
    .option("--rpm <n>", "requests per minute", readCount)
    .option("--tpm <n>", "tokens per minute", readCount)
    .option("--concurrent <n>", "concurrent requests", readCount)
    .option("--budget <amount/window>", "what it can spend per day, week, month or once, such as 10/day", readBudget)
    .option(
      "--model-limit <pattern:limit,...>",
      "a limit on some models, such as openai/*:rpm=60,budget=5/day; may be repeated, and all together replace those that were there",
      readModelLimit,
    );
}

/** Adds the option for the time that `x-camino-cache: on` stands for. */
export function withCache(command: Command): Command {
  return command.option("--cache <time>", "how old an answer may be that a request asks for again, such as 10m");
}

/** A budget in words: `25 a month`, `100 once`. */
export function budgetText({ amount_micro, window }: ShownBudget): string {
  return `${amountText(amount_micro)} ${perWindow(window)}`;
}

/** Limits by model in words: `openai/*: 60 requests per minute, 5.00 a day`. */
function modelLimitWords({ models, rpm, tpm, concurrent, budget }: ShownModelLimit): string {
  const limits = [
    ...(rpm === null ? [] : [`${rpm} requests per minute`]),
    ...(tpm === null ? [] : [`${tpm} tokens per minute`]),
    ...(concurrent === null ? [] : [`${concurrent} concurrent requests`]),
    ...(budget === null ? [] : [budgetText(budget)]),
  ];
  return `${models}: ${limits.join(", ")}`;
}

/** A field for each limit by model, with its use where it is known. */
export function modelLimitFields(
  limits: readonly (ShownModelLimit & Partial<Pick<ModelLimitUse, "holder" | "use">>)[] = [],
) {
  return limits.map(({ holder, use = null, ...limit }) => {
    const words = modelLimitWords(limit);
    const name = holder === "gateway" ? "gateway's limit by model" : "limit by model";
    return [name, use === null ? words : `${words} (${budgetUseText(use)})`] as const;
  });
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
