import { systemClock } from "../../core/clock.ts";
import type { Log } from "../../observe/log.ts";
import type { Child } from "./child.ts";
import type { Started } from "./messages.ts";

/** A process that ends sooner after its start has not got far: the next one waits, twice as long each time. */
const QUICK_MS = 10_000;
const LONGEST_WAIT_MS = 15_000;
const FIRST_WAIT_MS = 250;
/** A signal to one process is often the first of signals to all: its successor is started only after this time. */
const SUCCESSOR_AFTER_MS = 200;

interface SlotParts {
  /** For the log: `worker 2`, `ledger`. */
  readonly name: string;
  readonly start: () => Child;
  /** Called when a process of this place has ended, by an order or not. */
  readonly onEnd: (child: Child) => void;
  readonly log: Log;
}

/** A place that always has a process: a process that ends of itself is replaced. */
export class ProcessSlot {
  readonly #parts: SlotParts;
  #current: Child | null = null;
  /** Processes that drain and have a successor. */
  readonly #leaving = new Set<Child>();
  #restarts = 0;
  #quick_ends = 0;
  #is_closed = false;
  #waiting: Timer | null = null;

  constructor(parts: SlotParts) {
    this.#parts = parts;
  }

  get current(): Child | null {
    return this.#current;
  }

  /** How often a process of this place has ended without an order. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Every process of this place that has not ended. */
  get all(): readonly Child[] {
    return this.#current === null ? [...this.#leaving] : [this.#current, ...this.#leaving];
  }

  /** Starts the first process. Rejects where it does not come to serve, and does not try again. */
  async open(): Promise<Started> {
    const child = this.#begin();
    const started = await child.ready;
    void this.#watch(child);
    return started;
  }

  /** Replaces the process by a new one, which serves before the old one gets the order to end. Rejects where the new one does not serve. */
  async renew(): Promise<void> {
    const child = this.#parts.start();
    // Until it has the place, the new process is among those that end with the others.
    this.#leaving.add(child);
    void this.#watch(child);
    await child.ready;
    if (this.#is_closed) return;
    this.#leaving.delete(child);
    this.#noLonger();
    this.#current = child;
  }

  /** A process got a signal from outside to end: it drains, and another process takes its place. */
  succeed(child: Child): void {
    if (child !== this.#current || this.#is_closed) return;
    this.#noLonger();
    this.#beginAgain(SUCCESSOR_AFTER_MS);
  }

  /** Orders all processes of this place to end, and starts no more. */
  close(): void {
    this.#is_closed = true;
    this.#stopWaiting();
    for (const child of this.all) child.stop();
  }

  /** Resolves when no process of this place runs. */
  async ended(): Promise<void> {
    await Promise.all(this.all.map((child) => child.exited));
  }

  #begin(): Child {
    const child = this.#parts.start();
    this.#current = child;
    return child;
  }

  /** Lets the process of this place go: it ends when its work has ended. */
  #noLonger(): void {
    this.#stopWaiting();
    const old = this.#current;
    this.#current = null;
    if (old === null || old.state === "down") return;
    this.#leaving.add(old);
    if (!old.is_stopping) old.stop();
  }

  #stopWaiting(): void {
    if (this.#waiting !== null) clearTimeout(this.#waiting);
    this.#waiting = null;
  }

  async #watch(child: Child): Promise<void> {
    const how = await child.exited;
    this.#leaving.delete(child);
    this.#parts.onEnd(child);
    if (child !== this.#current) return;
    this.#current = null;
    if (this.#is_closed) return;
    this.#note(child, how);
    const quick = this.#quick_ends;
    this.#beginAgain(quick <= 1 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (quick - 2)));
  }

  #note(child: Child, how: number | string): void {
    const { log, name } = this.#parts;
    const lived_ms = systemClock.now_ms() - child.started_ms;
    this.#restarts += 1;
    this.#quick_ends = lived_ms < QUICK_MS ? this.#quick_ends + 1 : 1;
    log.error({ process: name, pid: child.pid, ended_with: how, lived_ms }, "a process of the gateway has ended");
  }

  #beginAgain(wait_ms: number): void {
    this.#waiting = setTimeout(() => {
      this.#waiting = null;
      const child = this.#begin();
      child.ready.then(
        () => this.#parts.log.info({ process: this.#parts.name, pid: child.pid }, "a process has taken its place"),
        (problem: unknown) =>
          this.#parts.log.error({ process: this.#parts.name, err: problem }, "a process does not start"),
      );
      void this.#watch(child);
    }, wait_ms);
  }
}
