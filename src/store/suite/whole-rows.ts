import type { Database } from "bun:sqlite";

const NUMBERS = ["endpoint_no", "model_no", "price_no", "attempt_no"];

/** Rows of requests with texts in place of their numbers, which depend on the order in which a database met them. */
export function wholeRows(database: Database, found: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const texts = database.query<{ no: number; text: string }, []>("SELECT no, text FROM texts").all();
  const text_of = new Map<unknown, string>(texts.map(({ no, text }) => [no, text]));
  return found.map((row) => ({ ...row, ...Object.fromEntries(NUMBERS.map((name) => [name, text_of.get(row[name])])) }));
}
