/**
 * Kills a gateway under load, again and again, and compares the clients' answers with the books after each restart. The
 * suite runs a few rounds; to run more:
 *
 *   bin/camino-bun proofs/suites/failures/crash-rounds.ts --rounds 200 [--seed N] [--database postgres://…]
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { TestKey } from "../../support/gateway.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import type { ClientStream } from "./support/client-stream.ts";
import { usageInStream, usageInWhole } from "./support/reported-usage.ts";
import { eventually, type Receipt, type Scene, startScene, type Wallet } from "./support/scene.ts";
import { type Json, STYLES, type Style } from "./support/styles.ts";

export interface CrashOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly database?: string;
  readonly onRound?: (round: RoundReport) => void;
}

export interface RoundReport {
  readonly round: number;
  readonly killed_after_ms: number;
  /** Answers that a client received to their end. */
  readonly received: number;
  /** Requests that the kill broke off. */
  readonly broken: number;
  /** Holds that the restart found and ended. */
  readonly recovered: number;
}

export interface CrashReport {
  readonly rounds: readonly RoundReport[];
  /** Violations that were found; empty when all is well. */
  readonly problems: readonly string[];
}

const WORKERS = 24;
const STALL_MS = 60;
/** In each round of this number the gateway has answered somebody before it is killed. */
const ANSWERED_EVERY = 4;
const MODELS = {
  "acme/quick": { upstream_model: "echo" },
  "acme/paced": { upstream_model: "long@tokens=12&ms=4" },
  "acme/untold": { upstream_model: "no-usage" },
  "acme/late": { upstream_model: "slow-first-byte@first_ms=40" },
};
const MODEL_IDS = Object.keys(MODELS);

/** As many rounds of load, kill, restart and comparison, on the same database. */
export async function crashRounds({ rounds, seed, database, onRound }: CrashOptions): Promise<CrashReport> {
  await using scene = await startScene({ models: MODELS, ...(database === undefined ? {} : { database }) });
  const random = seededRandom(seed);
  const done: RoundReport[] = [];
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const crash = await crashOnce(scene, random, round, database !== undefined);
    // On its own database, a gateway ends old holds before it serves; on a shared one, when it notices the death.
    if (database !== undefined) await recovered(scene, crash.key);
    const found = await compare(scene, crash);
    problems.push(...found.problems.map((problem) => `round ${round}: ${problem}`));
    const report = { ...crash.report, recovered: found.recovered };
    done.push(report);
    onRound?.(report);
  }
  const status = await scene.gateway.stop();
  if (status !== 0) problems.push(`the last gateway ended with ${status}`);
  problems.push(...(await scene.audit()).problems);
  return { rounds: done, problems };
}

/** Waits until the dead gateway's holds have ended, within 30 s of its death (docs/rulings.md 43). */
async function recovered(scene: Scene, key: TestKey): Promise<void> {
  const probe = async () => ((await scene.wallet(key)).uncollected_micro === 0 ? true : null);
  await eventually("the end of what a dead gateway held", probe, 30_000);
}

interface Received {
  readonly id: string;
  readonly style: Style;
  /** The output tokens of the answer's usage; null where the answer has no usage. */
  readonly output_tokens: number | null;
}

interface Crash {
  readonly key: TestKey;
  readonly received: readonly Received[];
  readonly report: Omit<RoundReport, "recovered">;
}

async function crashOnce(scene: Scene, random: () => number, round: number, shared: boolean): Promise<Crash> {
  const key = await scene.newKey({ credit: "1000" });
  const received: Received[] = [];
  const life = { over: false, broken: 0 };
  const worker = async (): Promise<void> => {
    while (!life.over) {
      const answer = await askOnce(scene, key, random).catch(() => null);
      if (answer === null) life.broken += 1;
      else received.push(answer);
    }
  };
  const workers = Array.from({ length: WORKERS }, worker);
  const killed_after_ms = 60 + Math.floor(random() * 300);
  await Bun.sleep(killed_after_ms);
  // A busy machine may have answered nobody by now: some rounds kill a gateway that has.
  if (round % ANSWERED_EVERY === 0)
    await eventually("an answer before the kill", async () => (received.length > 0 ? true : null), 30_000);
  const disk = round % 2 === 0 && !shared ? await stalledDisk(scene) : null;
  scene.gateway.signal("SIGKILL");
  life.over = true;
  await scene.gateway.exited;
  disk?.close();
  await Promise.all(workers);
  scene.gateway = await scene.gateway.restart();
  return { key, received, report: { round, killed_after_ms, received: received.length, broken: life.broken } };
}

/**
 * Locks the database as if its disk stood still: for a while before the kill, nothing can be written. A gateway that
 * sent answers before their charges are durable would send many in this time.
 */
async function stalledDisk(scene: Scene): Promise<Database> {
  const database = new Database(join(scene.gateway.data, "camino.db"));
  database.run("PRAGMA busy_timeout = 5000");
  database.run("BEGIN IMMEDIATE");
  await Bun.sleep(STALL_MS);
  return database;
}

/** Makes one call of a random style and model, streamed or not. Throws unless the answer is complete. */
async function askOnce(scene: Scene, key: TestKey, random: () => number): Promise<Received> {
  const style = STYLES[Math.floor(random() * STYLES.length)] as Style;
  const model = MODEL_IDS[Math.floor(random() * MODEL_IDS.length)] as string;
  if (random() < 0.5) {
    const response = await scene.call(style, key, model, { cap: 200 });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    const body = (await response.json()) as Json;
    return { id: idOf(response), style, output_tokens: usageInWhole(body) };
  }
  const stream: ClientStream = await scene.stream(style, key, model, { cap: 200 });
  await stream.finish();
  if (stream.ending !== "complete") throw new Error(`a stream ended ${stream.ending}`);
  return { id: stream.request_id, style, output_tokens: usageInStream(stream.events) };
}

function idOf(response: Response): string {
  return response.headers.get("x-camino-request-id") ?? "";
}

async function compare(scene: Scene, { key, received }: Crash): Promise<{ problems: string[]; recovered: number }> {
  const problems: string[] = [];
  const receipts = new Map((await scene.receipts(key)).map((receipt) => [receipt.id, receipt]));
  const charges = await chargesByRequest(scene, key);
  for (const answer of received) {
    const problem = problemWith(answer, receipts.get(answer.id), charges.get(answer.id) ?? []);
    if (problem !== null) problems.push(`${answer.id} (${answer.style.endpoint}) was received, but ${problem}`);
  }
  let charged = 0;
  for (const receipt of receipts.values()) {
    charged += receipt.charge_micro;
    if (receipt.status === "held") problems.push(`${receipt.id} is still held after the restart`);
    if (receipt.charge_micro > 0 && charges.get(receipt.id)?.length !== 1)
      problems.push(`${receipt.id} says ${receipt.charge_micro}, and has ${charges.get(receipt.id)?.length} entries`);
  }
  problems.push(...problemsWithWallet(await scene.wallet(key), 1_000_000_000 - charged));
  const recovered = [...receipts.values()].filter(({ duration_ms }) => duration_ms === null).length;
  return { problems, recovered };
}

async function chargesByRequest(scene: Scene, key: TestKey): Promise<Map<string, number[]>> {
  const charges = new Map<string, number[]>();
  for (const { kind, request, amount_micro } of await scene.entries(key)) {
    if (kind !== "charge" || request === null) continue;
    charges.set(request, [...(charges.get(request) ?? []), -amount_micro]);
  }
  return charges;
}

function problemWith(answer: Received, receipt: Receipt | undefined, charges: readonly number[]): string | null {
  if (receipt === undefined) return "there is no receipt";
  if (receipt.status !== "settled") return `it is ${receipt.status}`;
  if (charges.length !== 1) return `it has ${charges.length} charges`;
  const { usage, charge_micro } = receipt;
  const cost = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) * 4;
  if (charge_micro !== cost || charges[0] !== cost) return `${charges[0]} was charged in place of ${cost}`;
  if (answer.output_tokens === null || answer.output_tokens === usage?.output_tokens) return null;
  return `the client was told of ${answer.output_tokens} output tokens, and the receipt of ${usage?.output_tokens}`;
}

function problemsWithWallet({ balance_micro, uncollected_micro }: Wallet, expected_micro: number): string[] {
  const problems: string[] = [];
  if (uncollected_micro !== 0) problems.push(`${uncollected_micro} are uncollected after the restart`);
  if (balance_micro !== expected_micro) problems.push(`the balance is ${balance_micro} in place of ${expected_micro}`);
  return problems;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "20" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      database: { type: "string" },
    },
  });
  const { rounds, seed, database } = values;
  console.log(`${rounds} rounds with --seed ${seed}`);
  const report = await crashRounds({
    rounds: Number(rounds),
    seed: Number(seed),
    ...(database === undefined ? {} : { database }),
    onRound: (round) => console.log(JSON.stringify(round)),
  });
  for (const problem of report.problems) console.log(problem);
  console.log(report.problems.length === 0 ? "sound" : `${report.problems.length} problems`);
  process.exitCode = report.problems.length === 0 ? 0 : 1;
}
