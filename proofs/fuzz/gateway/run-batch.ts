import { eventually } from "../../suites/failures/support/scene.ts";
import type { TestKey } from "../../support/gateway.ts";
import { audit } from "../../torture/audit.ts";
import type { AccountBook } from "../../torture/history.ts";
import { type RoundKey, readBooks } from "../../torture/read-books.ts";
import type { Finding } from "../finding.ts";
import { judgeBooks, type VendorAsked } from "../judge/judge-books.ts";
import { judgeCase } from "../judge/judge-case.ts";
import { faultsIn } from "../judge/judge-log.ts";
import type { FuzzCase, KeyChoice } from "../requests/fuzz-case.ts";
import { planCase } from "../requests/plan-case.ts";
import { slotIn } from "./fuzz-models.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import { type CaseSeen, runCase } from "./run-case.ts";

export interface BatchOptions {
  /** The run's seed. */
  readonly seed: number;
  /** The numbers of the batch's cases, each with a slot of its own. */
  readonly numbers: readonly number[];
  /** How many cases are played at the same time. */
  readonly workers: number;
  /** Whether the books are audited after the batch. */
  readonly audited: boolean;
}

export interface BatchSeen {
  readonly cases: readonly CaseSeen[];
  readonly findings: readonly Finding[];
  readonly vendor_kinds: readonly string[];
  readonly receipts: number;
  readonly charged_micro: number;
  /** How long the audit took; 0 without one. */
  readonly audit_ms: number;
}

/** Plays cases, brings the gateway to rest, and judges what was seen. */
export async function runBatch(world: FuzzWorld, options: BatchOptions): Promise<BatchSeen> {
  const { seed, numbers, workers } = options;
  const { wild, simulator, gateway } = world;
  wild.forget();
  simulator.log.clear();
  const accounts = await makeKeys(world);
  const keys = Object.fromEntries(Object.entries(accounts).map(([name, { key }]) => [name, key]));
  const plans = numbers.map((number) => planCase(seed, number));
  for (const { slot, seed: role, marker } of plans) wild.assign(slot, role, marker);
  const cases = await playAll(plans, workers, (plan) => runCase(plan, gateway.url, keys));
  const findings = cases.flatMap(judgeCase);
  if (!world.isRunning) return ended(cases, [...findings, gone(world)]);
  findings.push(...(await atRest(world)));
  const books = await readBooks(gateway, Object.values(accounts));
  findings.push(...judgeBooks({ cases, accounts: books, asked: askedOf(world) }));
  findings.push(...faultsIn(world.newLog()).map((what): Finding => ({ kind: "log", what, case_number: null })));
  const began_ms = performance.now();
  const problems = options.audited ? await audit({ database_url: world.database_url }) : [];
  findings.push(...problems.map((what): Finding => ({ kind: "audit", what, case_number: null })));
  const audit_ms = performance.now() - began_ms;
  return { ...ended(cases, findings, books), vendor_kinds: wild.requests.map(({ kind }) => kind), audit_ms };
}

function ended(
  cases: readonly CaseSeen[],
  findings: readonly Finding[],
  books: readonly AccountBook[] = [],
): BatchSeen {
  const receipts = books.flatMap((book) => book.receipts);
  const charged_micro = receipts.reduce((sum, { charge_micro }) => sum + charge_micro, 0);
  return { cases, findings, vendor_kinds: [], receipts: receipts.length, charged_micro, audit_ms: 0 };
}

function gone({ gateway }: FuzzWorld): Finding {
  return { kind: "process", what: `the gateway ended by itself: ${gateway.log().slice(-1500)}`, case_number: null };
}

const MICRO = 1_000_000;

async function makeKeys({ gateway }: FuzzWorld): Promise<Record<Exclude<KeyChoice, "wrong" | "none">, RoundKey>> {
  const make = async (credit: string, fields: object = {}): Promise<RoundKey> => {
    const key: TestKey = await gateway.newKey({ credit, ...fields });
    return { ...key, credited_micro: Math.round(Number(credit) * MICRO), budget_micro: null };
  };
  const [rich, other, poor, narrow] = await Promise.all([
    make("1000"),
    make("1000"),
    make("0.02"),
    make("10", { concurrent: 2, rpm: 30 }),
  ]);
  return { rich, other, poor, narrow };
}

async function playAll(
  plans: readonly FuzzCase[],
  workers: number,
  play: (plan: FuzzCase) => Promise<CaseSeen>,
): Promise<CaseSeen[]> {
  const seen: CaseSeen[] = [];
  const queue = plans.values();
  const work = async (): Promise<void> => {
    for (const plan of queue) seen.push(await play(plan));
  };
  await Promise.all(Array.from({ length: workers }, work));
  return seen;
}

/** Longer than a vendor may take in all, and than what a client's leaving sets off. */
const REST_PATIENCE_MS = 30_000;

/** Waits until nothing is in flight, and tells what does not come to an end. Holds are looked at in the books. */
async function atRest({ gateway }: FuzzWorld): Promise<Finding[]> {
  const read = async (name: string): Promise<number> => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1] ?? Number.NaN);
  };
  const names = ["camino_requests_in_flight", "camino_ledger_pending"];
  const quiet = async (): Promise<true | null> =>
    (await Promise.all(names.map(read))).every((count) => count === 0) ? true : null;
  try {
    await eventually("rest", quiet, REST_PATIENCE_MS, 20);
    return [];
  } catch {
    const counts = await Promise.all(names.map(async (name) => `${name} ${await read(name)}`));
    return [
      { kind: "held", what: `not at rest after ${REST_PATIENCE_MS / 1000} s: ${counts.join(", ")}`, case_number: null },
    ];
  }
}

function askedOf({ wild, simulator }: FuzzWorld): VendorAsked[] {
  return [
    ...wild.requests.map(({ asked, status, complaint }) => ({ slot: asked.slot, status, complaint })),
    ...simulator.log.requests.map(({ model, status }) => ({ slot: slotIn(model ?? ""), status, complaint: null })),
  ];
}
