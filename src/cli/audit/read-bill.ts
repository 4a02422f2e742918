import { dayOf, parseDay } from "../../limits/windows.ts";
import { CliFailure } from "../shared/failure.ts";
import { CsvError, readCsv } from "./read-csv.ts";

/** A vendor's bill for a day and one of its models. A part that the bill does not have is null. */
export interface BillLine {
  readonly day: number;
  readonly model: string;
  input_tokens: number | null;
  output_tokens: number | null;
  /** In whole micro units of the bill's currency. */
  cost_micro: number | null;
}

export interface Bill {
  readonly lines: ReadonlyMap<string, BillLine>;
  readonly first_day: number;
  readonly last_day: number;
}

const LARGEST_BYTES = 64 * 2 ** 20;

/** Reads a bill. Throws a CliFailure that says what was found where, and what is allowed. */
export async function readBill(path: string): Promise<Bill> {
  const file = Bun.file(path);
  if (!(await file.exists())) throw refused(`There is no file ${path}.`);
  if (file.size > LARGEST_BYTES) throw refused(`${path} has more than 64 MiB: export fewer days, by day and model.`);
  try {
    return parseBill(await file.text());
  } catch (thrown) {
    if (thrown instanceof CsvError || thrown instanceof BillError) throw refused(`${path}: ${thrown.message}.`);
    throw thrown;
  }
}

function refused(message: string): CliFailure {
  return new CliFailure(message, { code: "invalid_bill" });
}

/** The reason why a bill cannot be read. */
export class BillError extends Error {
  override readonly name = "BillError";
}

/**
 * The names of the columns, in our own format and in the vendors' exports: OpenAI's usage (`start_time_iso`, `input_tokens`,
 * which has the cached ones) and costs (`amount_value`, `line_item`), Anthropic's usage (`usage_…_tokens_…`) and costs.
 */
const COLUMNS = {
  day: ["day", "date", "usage_date_utc", "start_time_iso", "start_time"],
  model: ["model", "model_version", "line_item"],
  input: ["input_tokens"],
  /** Parts of the input that are added up where there is no column of the whole. */
  input_parts: [
    "usage_input_tokens_no_cache",
    "usage_input_tokens_cache_write",
    "usage_input_tokens_cache_write_5m",
    "usage_input_tokens_cache_write_1h",
    "usage_input_tokens_cache_read",
  ],
  output: ["output_tokens", "usage_output_tokens"],
  cost: ["cost", "cost_usd", "amount_value"],
} as const;

/** Reads a bill's text: rows of the same day and model are added up. */
export function parseBill(text: string): Bill {
  const [header = [], ...rows] = readCsv(text);
  const names = header.map((name) => name.trim().toLowerCase().replaceAll(/[ -]/g, "_"));
  const at = placesOf(names);
  const lines = new Map<string, BillLine>();
  for (const [index, cells] of rows.entries()) addLine(lines, at, cells, index + 2);
  const days = [...lines.values()].map(({ day }) => day);
  if (days.length === 0) throw new BillError("it has no row with a model");
  return { lines, first_day: days.reduce((a, b) => Math.min(a, b)), last_day: days.reduce((a, b) => Math.max(a, b)) };
}

interface Places {
  readonly day: number;
  readonly model: number;
  readonly input: readonly number[];
  readonly output: readonly number[];
  readonly cost: readonly number[];
}

function placesOf(names: readonly string[]): Places {
  const first = (known: readonly string[]): number[] => {
    const found = known.map((name) => names.indexOf(name)).find((place) => place !== -1);
    return found === undefined ? [] : [found];
  };
  const parts = COLUMNS.input_parts.map((name) => names.indexOf(name)).filter((place) => place !== -1);
  const whole = first(COLUMNS.input);
  const [day] = first(COLUMNS.day);
  const [model] = first(COLUMNS.model);
  const places = { input: whole.length > 0 ? whole : parts, output: first(COLUMNS.output), cost: first(COLUMNS.cost) };
  const missing = [
    ...(day === undefined ? [`a day (${COLUMNS.day.join(", ")})`] : []),
    ...(model === undefined ? [`a model (${COLUMNS.model.join(", ")})`] : []),
    ...(Object.values(places).every((each) => each.length === 0) ? ["tokens or cost"] : []),
  ];
  if (day === undefined || model === undefined || missing.length > 0) {
    throw new BillError(
      `its first row names no column for ${missing.join(" and ")}; it has ${names.join(", ") || "none"}`,
    );
  }
  return { day, model, ...places };
}

function addLine(lines: Map<string, BillLine>, at: Places, cells: readonly string[], row: number): void {
  const counts = {
    input_tokens: sumAt(at.input, cells, row),
    output_tokens: sumAt(at.output, cells, row),
    cost_micro: moneyAt(at.cost, cells, row),
  };
  // A costs export says which part of a model's use a line is for behind a comma.
  const model = (cells[at.model] ?? "").split(",")[0]?.trim() ?? "";
  if (model === "") {
    if (Object.values(counts).every((count) => count === null || count === 0)) return;
    throw new BillError(`row ${row} has no model: export the bill by day and model`);
  }
  const day = dayIn(cells[at.day] ?? "", row);
  const id = `${day} ${plainModel(model)}`;
  const line = lines.get(id) ?? { day, model, input_tokens: null, output_tokens: null, cost_micro: null };
  for (const name of ["input_tokens", "output_tokens", "cost_micro"] as const) {
    const count = counts[name];
    if (count !== null) line[name] = (line[name] ?? 0) + count;
  }
  lines.set(id, line);
}

/** A sum of cells; null where all of them are empty. */
function sumAt(places: readonly number[], cells: readonly string[], row: number): number | null {
  let sum: number | null = null;
  for (const place of places) {
    const text = (cells[place] ?? "").trim().replaceAll(",", "");
    if (text === "") continue;
    if (!/^\d{1,15}(\.0+)?$/.test(text))
      throw new BillError(`row ${row} has ${JSON.stringify(text)} where a whole number stands`);
    sum = (sum ?? 0) + Number(text);
  }
  return sum;
}

function moneyAt([place]: readonly number[], cells: readonly string[], row: number): number | null {
  const text = place === undefined ? "" : (cells[place] ?? "").trim().replaceAll(/[,$€]/g, "");
  if (text === "") return null;
  const amount = /^-?\d{1,9}(\.\d{1,30})?(e-?\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(amount)) throw new BillError(`row ${row} has ${JSON.stringify(text)} where an amount stands`);
  return Math.round(amount * 1e6);
}

function dayIn(text: string, row: number): number {
  const seconds = /^\d{9,10}$/.test(text) ? Number(text) : null;
  const day = seconds === null ? parseDay(text.slice(0, 10)) : dayOf(seconds * 1000);
  if (day === null) throw new BillError(`row ${row} has the day ${JSON.stringify(text)}; write it as YYYY-MM-DD`);
  return day;
}

/**
 * A model's name without what vendors add on bills: `Claude Haiku 4.5` and `claude-haiku-4-5-20251001` are one model, and so
 * are `gpt-4o` and `gpt-4o-2024-08-06`.
 */
export function plainModel(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[ ._]/g, "-").replace(/^.*\//, "");
  return plain.replace(/-(\d{4}-\d{2}-\d{2}|20\d{6})$/, "").replace(/-latest$/, "");
}
