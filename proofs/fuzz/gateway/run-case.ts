import type { ParsedAnswer } from "../../suites/http-wire/support/answer-parser.ts";
import { request } from "../../suites/http-wire/support/requests.ts";
import { WireClient } from "../../suites/http-wire/support/wire-client.ts";
import type { FuzzCase, PlannedStep } from "../requests/fuzz-case.ts";
import { type Writing, writeStep } from "../requests/write-step.ts";

/** What a client saw of one step. */
export interface StepSeen {
  readonly step: PlannedStep;
  /** The request as it was written. */
  readonly sent: Buffer;
  /** Null where none came, or where nobody can say whose it is. */
  readonly answer: ParsedAnswer | null;
  /** Whether the client left before its answer had come. */
  readonly left: boolean;
  /**
   * Whether a client that did not leave got no answer: `silence` where nothing came for longer than any answer may take, `end` where the
   * connection ended. Null where one came, or none was due.
   */
  readonly unanswered: "silence" | "end" | null;
}

export interface CaseSeen {
  readonly plan: FuzzCase;
  readonly steps: readonly StepSeen[];
  /** All answers that came on the case's connections. */
  readonly answers: readonly ParsedAnswer[];
  /** What came and is no HTTP, as a sentence. */
  readonly fault: string | null;
}

/** Vendors are given up after four seconds, a decision may ask several times, and a machine may have twenty times too much to do. */
const PATIENCE_MS = 240_000;
/** How long a client whose bytes were changed waits for the end: much of what it sends is a part of a body for the gateway. */
const BYTES_PATIENCE_MS = 700;
const RESPONSE_ID = /"(resp_[0-9A-Za-z]+)"/;

/** Plays a case against the gateway at this address. Never rejects. */
export async function runCase(plan: FuzzCase, url: string, keys: Writing["keys"]): Promise<CaseSeen> {
  const player = new Player(plan, url, keys);
  try {
    await player.play();
  } finally {
    player.close();
  }
  return player.seen();
}

class Player {
  readonly #plan: FuzzCase;
  readonly #url: string;
  readonly #keys: Writing["keys"];
  readonly #steps: StepSeen[] = [];
  readonly #answers: ParsedAnswer[] = [];
  #client: WireClient | null = null;
  #fault: string | null = null;
  #response_id: string | null = null;

  constructor(plan: FuzzCase, url: string, keys: Writing["keys"]) {
    this.#plan = plan;
    this.#url = url;
    this.#keys = keys;
  }

  seen(): CaseSeen {
    return { plan: this.#plan, steps: this.#steps, answers: this.#answers, fault: this.#fault };
  }

  async play(): Promise<void> {
    const { family, pipelined, steps } = this.#plan;
    if (family === "bytes") return this.#playBytes();
    if (pipelined) return this.#playTogether();
    for (const step of steps) await this.#playStep(step);
  }

  close(): void {
    const client = this.#client;
    if (client === null) return;
    this.#client = null;
    this.#answers.push(...client.answers);
    if (client.fault !== null && !this.#isExcused()) this.#fault ??= client.fault.message;
    client[Symbol.dispose]();
  }

  /** An answer to HEAD ends where another one's body begins, and changed bytes may have made any request one. */
  #isExcused(): boolean {
    return this.#plan.family === "bytes" && this.#steps.some(({ sent }) => sent.includes("HEAD"));
  }

  async #open(): Promise<WireClient | null> {
    if (this.#client !== null && this.#client.ending === null) return this.#client;
    this.close();
    try {
      this.#client = await WireClient.open(this.#url);
    } catch (thrown) {
      this.#fault ??= `no connection: ${thrown instanceof Error ? thrown.message : "?"}`;
    }
    return this.#client;
  }

  async #playStep(step: PlannedStep): Promise<void> {
    const client = await this.#open();
    if (client === null) return;
    const sent = this.#write(step);
    const at = client.answers.length;
    if (step.method === "HEAD") client.parser.bodiless.add(at);
    await client.sendPieces(piecesOf(sent, step.piece_bytes));
    const patience_ms = step.leaves_after_ms ?? PATIENCE_MS;
    await waitFor(client, () => client.answers.length > at, patience_ms);
    const answer = client.answers[at] ?? null;
    const left = step.leaves_after_ms !== null;
    const unanswered = answer !== null || left ? null : client.ending === null ? "silence" : "end";
    this.#steps.push({ step, sent, answer, left: left && answer === null, unanswered });
    // Steps of the other account try to get what is not its own.
    if (step.key !== "other") this.#response_id ??= RESPONSE_ID.exec(answer?.text ?? "")?.[1] ?? null;
    // The answer to a request that the client does not wait for would be taken for the next one's. And a gateway that says
    // that it closes the connection takes no further request on it, though its end may not have arrived yet.
    if (answer === null || answer.headers.get("connection") === "close") this.#leave();
  }

  async #playTogether(): Promise<void> {
    const client = await this.#open();
    if (client === null) return;
    const { steps } = this.#plan;
    const sent = steps.map((step) => this.#write(step));
    for (const [at, step] of steps.entries()) if (step.method === "HEAD") client.parser.bodiless.add(at);
    client.send(Buffer.concat(sent));
    await waitFor(client, () => client.answers.length >= steps.length, PATIENCE_MS);
    const is_open = client.ending === null;
    for (const [at, step] of steps.entries()) {
      const answer = client.answers[at] ?? null;
      // After a refusal that closes the connection nobody answers what follows.
      this.#steps.push({
        step,
        sent: sent[at] as Buffer,
        answer,
        left: answer === null && !is_open,
        unanswered: answer === null && is_open ? "silence" : null,
      });
    }
    this.#leave();
  }

  async #playBytes(): Promise<void> {
    const client = await this.#open();
    if (client === null) return;
    for (const step of this.#plan.steps) {
      const sent = this.#write(step);
      this.#steps.push({ step, sent, answer: null, left: false, unanswered: null });
      await client.sendPieces(piecesOf(sent, step.piece_bytes));
    }
    await Bun.sleep(20);
    client.send(request({ headers: ["connection: close"] }));
    await waitFor(client, () => client.ending !== null, BYTES_PATIENCE_MS);
  }

  #write(step: PlannedStep): Buffer {
    return writeStep(step, { keys: this.#keys, response_id: this.#response_id });
  }

  /** Leaves without hearing the rest: what of an answer is missing then is nobody's fault. */
  #leave(): void {
    const client = this.#client;
    if (client === null) return;
    this.#client = null;
    this.#answers.push(...client.answers);
    if (client.fault !== null && client.ending === null) this.#fault ??= client.fault.message;
    client[Symbol.dispose]();
  }
}

function piecesOf(bytes: Buffer, piece_bytes: number | null): Uint8Array[] {
  if (piece_bytes === null) return [bytes];
  // A large body in single bytes would take longer than all other cases together.
  const size = Math.max(piece_bytes, Math.ceil(bytes.length / 300));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

const LOOK_MS = 4;

/** Resolves when it holds, when the connection has ended or is at fault, or when the time is over. */
async function waitFor(client: WireClient, holds: () => boolean, patience_ms: number): Promise<void> {
  const end_ms = performance.now() + patience_ms;
  while (!holds() && client.ending === null && client.fault === null && performance.now() < end_ms)
    await Bun.sleep(LOOK_MS);
}
