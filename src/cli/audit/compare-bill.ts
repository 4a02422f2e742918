import { formatDay } from "../../limits/windows.ts";
import type { BillComparison, BillDifference } from "./describe-bill.ts";
import { type Bill, type BillLine, plainModel } from "./read-bill.ts";
import type { DailyUsage, UsageTally } from "./usage-tally.ts";

/** Bills are rounded to cents: amounts that differ by less are the same. */
const CENT_MICRO = 10_000;

/**
 * Compares a bill with what requests used, by day and model. `tolerance` is the share of the larger of both by which they may
 * differ. Models that the bill does not have count for the vendors of which it has others.
 */
export function compareBill(bill: Bill, tally: UsageTally, tolerance: number): BillComparison {
  const billed_models = new Set([...bill.lines.values()].map(({ model }) => plainModel(model)));
  const { used } = tally;
  const vendors = new Set(used.filter(({ model }) => billed_models.has(plainModel(model))).map(({ vendor }) => vendor));
  const of_bill = used.filter(({ vendor }) => vendors.has(vendor));
  const by_line = Map.groupBy(of_bill, ({ day, model }) => `${day} ${plainModel(model)}`);
  const lines = new Set([...bill.lines.keys(), ...by_line.keys()]);
  const differences: BillDifference[] = [];
  for (const id of [...lines].toSorted(byDay)) {
    differences.push(...compareLine(bill.lines.get(id), by_line.get(id) ?? [], tolerance));
  }
  const days = { first_day: formatDay(bill.first_day), last_day: formatDay(bill.last_day) };
  return { ...days, vendors: [...vendors].toSorted(), lines: lines.size, tolerance, differences };
}

function byDay(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1);
}

function compareLine(line: BillLine | undefined, used: readonly DailyUsage[], tolerance: number): BillDifference[] {
  const day = line?.day ?? used[0]?.day ?? 0;
  const where = { day: formatDay(day), model: line?.model ?? used[0]?.model ?? "" };
  const sum = (of: (use: DailyUsage) => number): number => used.reduce((total, use) => total + of(use), 0);
  const by_engine = sum((use) => use.by_engine);
  const notes = { requests: sum((use) => use.requests), estimated: sum((use) => use.estimated), by_engine };
  const compared: BillDifference[] = [];
  const compare = (what: BillDifference["what"], billed: number | null, ours: number | null, slack: number): void => {
    if (billed === null || ours === null) return;
    const difference = Math.abs(billed - ours);
    if (difference > slack && difference > tolerance * Math.max(Math.abs(billed), Math.abs(ours))) {
      compared.push({ ...where, what, billed, ours, ...notes });
    }
  };
  // The tokens of the engine's own calls are not recorded, so a day with some cannot be compared in tokens.
  const counts_tokens = by_engine === 0;
  const absent = line === undefined ? 0 : null;
  compare("input_tokens", line?.input_tokens ?? absent, counts_tokens ? sum((use) => use.input_tokens) : null, 0);
  compare("output_tokens", line?.output_tokens ?? absent, counts_tokens ? sum((use) => use.output_tokens) : null, 0);
  const is_priced = used.every(({ cost_micro }) => cost_micro !== null);
  compare("cost_micro", line?.cost_micro ?? absent, is_priced ? sum((use) => use.cost_micro ?? 0) : null, CENT_MICRO);
  return compared;
}
