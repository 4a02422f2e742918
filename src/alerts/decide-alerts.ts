import { MS_PER_DAY } from "../core/clock.ts";
import type { AlertFinding, AlertLook, AlertRow } from "../core/deliveries/alerts.ts";
import type { AlertData, AlertEvent } from "./alert-event.ts";
import { ALERT_TYPES, type AlertTypeName } from "./alert-types.ts";

/** The most events of a type that a scope is told in an hour; further ones wait, and are told in one. */
export const MOST_PER_HOUR = 10;
/** Up to this many alerts of a type at once are told one by one; more are told in one. */
const MOST_APART = 3;
/** How many of those are named. */
const MOST_NAMED = 20;
/** How long something that happened is remembered, so that it is told once. */
const REMEMBERED_MS = 2 * MS_PER_DAY;

export interface AlertState {
  readonly rows: readonly AlertRow[];
  /** How many events of a type were told to the scope within the last hour. */
  readonly recent: ReadonlyMap<string, number>;
  readonly now_ms: number;
}

export interface AlertDecision {
  /** Rows that are new or have changed. */
  readonly put: readonly AlertRow[];
  readonly drop: readonly AlertRow[];
  readonly tell: readonly AlertEvent[];
}

const keyOf = ({ type, subject }: Pick<AlertRow, "type" | "subject">): string => `${type} ${subject}`;
const endOf = (type: string): string | null => ALERT_TYPES[type as AlertTypeName]?.ended ?? null;

/** What becomes of a scope's alerts by what was found, and what is told of them (docs/rulings.md 185). */
export function decideAlerts(
  state: AlertState,
  { findings, is_whole }: Pick<AlertLook, "findings" | "is_whole">,
): AlertDecision {
  const before = new Map(state.rows.map((row) => [keyOf(row), row]));
  const after = new Map(before);
  const over = new Map(findings.flatMap((each) => (each.holds === "no" ? [[keyOf(each), each.data] as const] : [])));
  const lasting = findings.filter(({ holds }) => holds !== "no");
  for (const found of lasting) {
    const known = before.get(keyOf(found));
    const row = known === undefined ? begun(found, state.now_ms) : goesOn(known, found, state.now_ms);
    if (row !== null) after.set(keyOf(found), row);
  }
  const found = new Set(lasting.map(keyOf));
  for (const [key, row] of before) {
    if (found.has(key)) continue;
    const rest =
      endOf(row.type) === null
        ? remembered(row, state.now_ms)
        : is_whole
          ? ended(row, state.now_ms, over.get(key))
          : row;
    if (rest === null) after.delete(key);
    else after.set(key, rest);
  }
  const told = tellAll([...after.values()], state);
  for (const row of told.rows) {
    if (row.ended_ms === null) after.set(keyOf(row), row);
    else after.delete(keyOf(row));
  }
  return {
    put: [...after].flatMap(([key, row]) => (row === before.get(key) ? [] : [row])),
    drop: [...before].flatMap(([key, row]) => (after.has(key) ? [] : [row])),
    tell: told.events,
  };
}

function begun({ holds, ...found }: AlertFinding, now_ms: number): AlertRow | null {
  return holds === "margin" ? null : { ...found, began_ms: now_ms, told_ms: null, times_told: 0, ended_ms: null };
}

/** Still true: a higher level is told again, and so is, once, what was told a day ago. An end that was not told yet never was. */
function goesOn(row: AlertRow, { level, data }: AlertFinding, now_ms: number): AlertRow {
  const open = row.ended_ms === null ? row : { ...row, data, ended_ms: null, told_ms: row.began_ms };
  if (level > open.level) return { ...open, level, data, told_ms: null };
  const lower = level < open.level ? { ...open, level, data } : open;
  if (lower.told_ms === null || endOf(row.type) === null) return lower;
  if (lower.times_told > 1 || now_ms - lower.told_ms < MS_PER_DAY) return lower;
  return { ...lower, told_ms: null, data: JSON.stringify({ ...(JSON.parse(data) as AlertData), still: true }) };
}

/** An alert that was never told needs no end. An end tells what is true then (`data`), or its names alone where nothing is known any more. */
function ended(row: AlertRow, now_ms: number, data?: string): AlertRow | null {
  if (row.times_told === 0) return null;
  if (row.ended_ms !== null) return row;
  return { ...row, data: data ?? namesOf(row), ended_ms: now_ms, told_ms: null };
}

function namesOf({ type, data }: AlertRow): string {
  const names: readonly string[] = ALERT_TYPES[type as AlertTypeName]?.names ?? [];
  const all = JSON.parse(data) as AlertData;
  return JSON.stringify(Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))));
}

function remembered(row: AlertRow, now_ms: number): AlertRow | null {
  return row.told_ms !== null && now_ms - row.began_ms > REMEMBERED_MS ? null : row;
}

/** Tells what waits, as far as there is room: a few one by one, and many in one. Returns the rows that were told. */
function tellAll(
  rows: readonly AlertRow[],
  { recent, now_ms }: AlertState,
): { rows: AlertRow[]; events: AlertEvent[] } {
  const waiting = Map.groupBy(
    rows.filter(({ told_ms }) => told_ms === null),
    ({ type, ended_ms }) => (ended_ms === null ? type : (endOf(type) ?? type)),
  );
  const told: AlertRow[] = [];
  const events: AlertEvent[] = [];
  const timestamp = new Date(now_ms).toISOString();
  for (const [type, group] of waiting) {
    const room = MOST_PER_HOUR - (recent.get(type) ?? 0);
    if (room <= 0) continue;
    const data = group.map((row) => JSON.parse(row.data) as AlertData);
    const apart = group.length <= Math.min(MOST_APART, room);
    const summed = { count: group.length, alerts: data.slice(0, MOST_NAMED) };
    for (const each of apart ? data : [summed]) events.push({ type, timestamp, data: each });
    told.push(...group.map((row) => ({ ...row, told_ms: now_ms, times_told: row.times_told + 1 })));
  }
  return { rows: told, events };
}
