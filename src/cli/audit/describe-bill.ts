import { amountText } from "../../../contract/amounts.ts";
import { counted, formatTable } from "../shared/table.ts";

/** One difference between a vendor's bill and what requests used, on a UTC day and for a model. */
export interface BillDifference {
  readonly day: string;
  readonly model: string;
  readonly what: "input_tokens" | "output_tokens" | "cost_micro";
  readonly billed: number;
  readonly ours: number;
  /** The requests that ended on that day; how many have an estimated usage; how many decisions our engine made. */
  readonly requests: number;
  readonly estimated: number;
  readonly by_engine: number;
}

export interface BillComparison {
  readonly first_day: string;
  readonly last_day: string;
  readonly vendors: readonly string[];
  /** How many days and models were compared. */
  readonly lines: number;
  readonly tolerance: number;
  readonly differences: readonly BillDifference[];
}

export function describeComparison(comparison: BillComparison): string {
  const { first_day, last_day, vendors, lines, tolerance, differences } = comparison;
  const of = vendors.length === 0 ? "no vendor here has its models" : `of ${vendors.join(", ")}`;
  const what = `bill from ${first_day} to ${last_day}, ${of}: ${counted(lines, "line")} by day and model`;
  if (differences.length === 0) return `The ${what}, none more than ${tolerance * 100} % off.`;
  const columns = ["day", "model", "what", ">bill", ">here", ">difference", ">requests"];
  const rows = differences.map((each) => [
    ...[each.day, each.model, WORDS[each.what]],
    ...[each.billed, each.ours, each.billed - each.ours].map((count) => shown(each, count)),
    each.estimated > 0 ? `${each.requests} (${each.estimated} estimated)` : String(each.requests),
  ]);
  const remedy =
    "More on the bill than here: calls past this gateway with the same credential, retries, or usage that was not reported. " +
    "Less: another day or time zone, or a bill that is not complete yet.";
  const total = `${counted(differences.length, "difference")} above ${tolerance * 100} % in the ${what}.`;
  return `${formatTable(columns, rows)}\n${total}\n${remedy}`;
}

const WORDS = { input_tokens: "input tokens", output_tokens: "output tokens", cost_micro: "cost" } as const;

function shown({ what }: BillDifference, count: number): string {
  return what === "cost_micro" ? amountText(count) : String(count);
}
