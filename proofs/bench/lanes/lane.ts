import type { Variant } from "../gateway.ts";
import type { Rounds } from "../rounds.ts";

export const DATABASES = ["sqlite", "postgres"] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** What a lane works with. */
export interface Setting {
  /** The vendor's base URL. */
  readonly vendor_url: string;
  /** A folder of the lane's own, on the disk that the ledgers write to. */
  readonly folder: string;
  /** Small amounts: to see that a lane works, not what it measures. */
  readonly quick: boolean;
  /** Camino's commands: the project's own first. Each is measured in each round. */
  readonly variants: readonly Variant[];
  readonly databases: readonly DatabaseName[];
  /** How many requests a database with a long history has; null: as many as the lane makes in a minute or two. */
  readonly history_requests: number | null;
  /** Tells the operator how far the lane is. */
  say(line: string): void;
}

/** A line of the lanes' table. */
export interface Row {
  /** The name by which goals.ts knows it. */
  readonly id: string;
  readonly name: string;
  /** In most rows a ratio. */
  readonly value: number;
  /** How far the rounds of what it was compared with lie apart, as a part of their median; NaN where nothing was compared. */
  readonly noise: number;
  /** The figures behind the value: `283 ÷ 71 µs`. */
  readonly from: string;
}

export interface LaneResult {
  readonly rows: readonly Row[];
  readonly rounds: Rounds;
}

/** A measurement of its own, with programs of its own, which it has ended when it resolves. */
export interface Lane {
  readonly name: string;
  readonly measure: (setting: Setting) => Promise<LaneResult>;
}

/** The id of a row of a variant: goals are of the project's own command alone. */
export function rowId(variant: Variant, id: string): string {
  return variant.name === "gateway" ? id : `${variant.name}: ${id}`;
}

/** `283 ÷ 71 µs`. */
export function quotient(above: number, below: number, unit: string): string {
  return `${short(above)} ÷ ${short(below)}${unit === "" ? "" : ` ${unit}`}`;
}

/** A number with three digits that count. */
export function short(value: number): string {
  if (Number.isNaN(value)) return "?";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
