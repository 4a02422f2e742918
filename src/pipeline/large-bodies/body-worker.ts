import { GatewayError } from "../../core/errors.ts";
import { ownBuffers, type RecallSource } from "../memory/recall-source.ts";
import type { BodyCall, BodyCalls, MemoryRequest, WorkerReply, WorkerRequest } from "./messages.ts";
import { errorFromWorker } from "./posted-error.ts";
import { answerFrom } from "./remote-memory.ts";

/** The part of a Worker that is used here. */
export type Thread = Pick<
  Worker,
  "postMessage" | "terminate" | "addEventListener" | "onmessage" | "onerror" | "onmessageerror"
>;

/** For how long a thread may be silent while it is asked: the largest hostile body takes it some seconds. */
const PATIENCE_MS = 60_000;

interface WaitingTask {
  readonly resolve: (gives: never) => void;
  readonly reject: (thrown: Error) => void;
}

export interface BodyWorkerOptions {
  readonly start: () => Thread;
  readonly memory: RecallSource | null;
  /** Called once, when the thread is gone without being told to end. */
  readonly lost: (why: string) => void;
  readonly patience_ms?: number;
}

/**
 * The serving thread's end of one body worker. Whoever waits for a thread that dies, or is silent for too long, gets
 * `model_unavailable`; nothing that it kept is there any more.
 */
export class BodyWorker {
  readonly #thread: Thread;
  readonly #memory: RecallSource | null;
  readonly #lost: BodyWorkerOptions["lost"];
  readonly #patience_ms: number;
  readonly #waiting = new Map<number, WaitingTask>();
  /** The bodies that the thread keeps, and those that it reads. */
  readonly #bodies = new Set<number>();
  #last_id = 0;
  #timer: Timer | null = null;
  #is_gone = false;

  constructor({ start, memory, lost, patience_ms = PATIENCE_MS }: BodyWorkerOptions) {
    this.#memory = memory;
    this.#lost = lost;
    this.#patience_ms = patience_ms;
    const thread = start();
    this.#thread = thread;
    thread.onmessage = ({ data }: MessageEvent<WorkerReply | MemoryRequest>) => {
      if ("memory_id" in data) void this.#remember(data);
      else this.#take(data);
    };
    thread.onerror = ({ message }) => this.#lose(`it failed: ${message}`);
    thread.onmessageerror = () => this.#lose("it sent what cannot be read");
    thread.addEventListener("close", () => this.#lose("it ended"));
  }

  get isGone(): boolean {
    return this.#is_gone;
  }

  /** How many questions wait for their answer. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** How many bodies the thread keeps. */
  get bodies(): number {
    return this.#bodies.size;
  }

  /** Asks about a body. `moved`: buffers that the thread gets without a copy, and that are gone here. */
  ask<Call extends BodyCall>(
    body_id: number,
    call: Call,
    asks: BodyCalls[Call]["asks"],
    moved: ArrayBuffer[] = [],
  ): Promise<BodyCalls[Call]["gives"]> {
    if (this.#is_gone) return Promise.reject(goneError());
    return new Promise((resolve, reject) => {
      this.#last_id += 1;
      this.#waiting.set(this.#last_id, { resolve, reject });
      this.#watch();
      this.#bodies.add(body_id);
      try {
        this.#thread.postMessage({ id: this.#last_id, body_id, call, asks } as WorkerRequest, moved);
      } catch (thrown) {
        this.#waiting.delete(this.#last_id);
        this.#watch();
        reject(thrown as Error);
      }
    });
  }

  /** Lets the thread forget a body. Never throws. */
  release(body_id: number): void {
    if (!this.#bodies.delete(body_id) || this.#is_gone) return;
    this.#thread.postMessage({ id: 0, body_id, call: "release", asks: null } satisfies WorkerRequest);
  }

  /** Ends the thread. Callers that wait for it get an error. */
  end(): void {
    if (this.#is_gone) return;
    this.#is_gone = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#bodies.clear();
    for (const { reject } of [...this.#waiting.values()]) reject(goneError());
    this.#waiting.clear();
    this.#thread.terminate();
  }

  #lose(why: string): void {
    if (this.#is_gone) return;
    this.end();
    this.#lost(why);
  }

  #take(answered: WorkerReply): void {
    const waiting = this.#waiting.get(answered.id);
    this.#waiting.delete(answered.id);
    this.#watch();
    if ("thrown" in answered) waiting?.reject(errorFromWorker(answered.thrown));
    else waiting?.resolve(answered.gives as never);
  }

  async #remember(question: MemoryRequest): Promise<void> {
    if (this.#memory === null) return;
    const answered = await answerFrom(this.#memory, question);
    if (this.#is_gone) return;
    this.#thread.postMessage(
      answered,
      "found" in answered && Array.isArray(answered.found) ? ownBuffers(answered.found) : [],
    );
    this.#watch();
  }

  /** The thread has just answered, or was asked: from now on it may be silent for a while. */
  #watch(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#is_gone || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => this.#lose(`it said nothing for ${this.#patience_ms} ms`), this.#patience_ms);
    this.#timer.unref();
  }
}

const RETRY_MS = 1000;

export function goneError(): GatewayError {
  return new GatewayError("model_unavailable", "The gateway could not finish its work on so large a body. Try again.", {
    retry_after_ms: RETRY_MS,
  });
}
