import type { Clock } from "../core/clock.ts";
import type { AdmitOp, LedgerResult, SettleOp, VoidOp } from "../core/ledger/ledger.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { LedgerStore } from "../core/store/ports.ts";
import { StoreRefusal, StoreUnavailable } from "../core/store-errors.ts";
import type { Log } from "../observe/log.ts";
import { Booking, BookingGroup, type QueuedOp, type QueuedResult } from "./booking.ts";
import { resultsOf, storedOps } from "./charges.ts";
import { staysQueued, unbookable, undoing, unrecordable, withheldFree } from "./failed-commit.ts";
import { Ranges } from "./ranges.ts";

interface GroupCommitOptions {
  readonly store: Pick<LedgerStore, "commit">;
  readonly max_batch: number;
  readonly clock: Clock;
  readonly log: Log | null;
  readonly retry_min_ms: number;
  readonly retry_max_ms: number;
  readonly give_up_ms: number;
  /** Called for each end that came after a recovery had ended the hold (docs/rulings.md 146). */
  readonly onLate: (request_id: string, end: "settled" | "voided") => void;
}

/** More than any outage leaves: older ones are forgotten, and end as abandoned holds. */
const REFUSED_REMEMBERED = 10_000;
/** From this many operations in one commit on, more are gathered before the next. */
const BUSY_BATCH = 3;
/** A busy gateway gathers for at most so many turns of the event loop, and until so many brought nothing new. */
const GATHER_TURNS = 12;
const IDLE_TURNS = 3;

/**
 * Commits operations in groups: whatever queued up while one commit ran goes into the next. Under load a commit's cost
 * is shared by many, and a single operation waits for nothing but its own commit. While commits are shared, the next one
 * also waits until the event loop has taken in what has arrived: commits are fewer, and all others get their answer in
 * fewer, larger groups, which costs less than it delays.
 *
 * When a commit fails, none of its operations took place, or the store never said so. Admissions are refused, and voided
 * in case they did take place. What ends a hold stays queued until it is booked. A group that fails is retried in
 * halves, and an operation that fails alone goes to the end, so that one that can never succeed holds up no other.
 *
 * When the store says that it refuses an operation of a group (StoreRefusal), nothing took place and nothing is wrong with the
 * others: the group is committed again in halves, at once, until the operation is alone, and fails alone.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #queue: Booking[] = [];
  #batch: Booking[] = [];
  /** The commits that the queue and the batch wait for. */
  #next = new BookingGroup();
  #current = this.#next;
  #running: Promise<void> | null = null;
  #batch_limit: number;
  /** Whether operations were in the queue already when the batch was taken. */
  #left_behind = false;
  /** How the front of the queue is divided while an operation is looked for that the store refuses. */
  readonly #ranges = new Ranges();
  /** Ends of holds that the store refuses: each is tried again alone, now and then. */
  #parked: Booking[] = [];
  #parking = new BookingGroup();
  /**
   * Admissions that were refused while nobody knew whether their commit took place. It may take place minutes later, when a stopped server goes
   * on: the sweep asks whose holds those are.
   */
  readonly #refused = new RecentMap<true>(REFUSED_REMEMBERED);
  /** Whether the last commit was shared: then so is the next, though nothing may be waiting at the moment. */
  #busy = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#batch_limit = options.max_batch;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get committing(): number {
    return this.#batch.length;
  }

  enqueue<Op extends QueuedOp>(op: Op): Booking<Op> {
    const booking = new Booking<QueuedOp>(op, this.#options.clock.monotonic_ms(), this.#next);
    this.#queue.push(booking);
    this.#running ??= this.#run();
    return booking as Booking<Op>;
  }

  async drain(): Promise<void> {
    while (this.#running !== null || this.#parked.length > 0) {
      await (this.#running ?? Bun.sleep(this.#options.retry_max_ms));
    }
  }

  /** The requests of all operations that are not booked yet. */
  requestIds(): Set<string> {
    const ids = new Set<string>();
    for (const { op } of [...this.#batch, ...this.#queue, ...this.#parked]) {
      const request_id = requestOf(op);
      if (request_id !== null) ids.add(request_id);
    }
    return ids;
  }

  /** Whether a request's admission was refused although its commit may take place after all. */
  wasRefused(request_id: string): boolean {
    return this.#refused.get(request_id) === true;
  }

  async #run(): Promise<void> {
    // Whatever else is asked for in this turn of the event loop's task joins the first group.
    await Promise.resolve();
    let failures = 0;
    while (this.#queue.length > 0) {
      if (this.#busy) await this.#gather();
      this.#takeBatch();
      this.#busy = this.#batch.length >= BUSY_BATCH;
      try {
        this.#deliver(await this.#options.store.commit(storedOps(this.#batch)));
        failures = 0;
        this.#ranges.done();
        this.#batch_limit = Math.min(this.#options.max_batch, this.#batch_limit * 2);
      } catch (thrown) {
        if (thrown instanceof StoreRefusal && this.#ranges.refused(this.#batch.length)) {
          this.#isolate(thrown);
          continue;
        }
        failures += 1;
        this.#keepWhatMustBeBooked(thrown);
        await this.#pause(failures);
      }
    }
    this.#running = null;
  }

  /** Lets the event loop go round while it brings more operations. */
  async #gather(): Promise<void> {
    let idle = 0;
    for (let turn = 0; turn < GATHER_TURNS && idle < IDLE_TURNS; turn += 1) {
      const before = this.#queue.length;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#queue.length === before) idle += 1;
    }
  }

  #takeBatch(): void {
    this.#current = this.#next;
    this.#next = new BookingGroup();
    const range = this.#ranges.next();
    if (range !== null) {
      this.#batch = this.#queue.splice(0, range);
    } else if (this.#queue.length <= this.#batch_limit) {
      this.#batch = this.#queue;
      this.#queue = [];
    } else {
      this.#batch = this.#queue.splice(0, this.#batch_limit);
    }
    this.#left_behind = this.#queue.length > 0;
  }

  #deliver(results: readonly LedgerResult[]): void {
    const batch = this.#batch;
    const batch_results = resultsOf(batch, results);
    this.#batch = [];
    for (let index = 0; index < batch.length; index += 1) {
      const booking = batch[index] as Booking;
      const result = batch_results[index] ?? null;
      if (result === null) {
        this.#again(booking);
        continue;
      }
      booking.booked(result);
      if ((result.outcome === "settled" || result.outcome === "voided") && result.late === true) {
        this.#options.onLate((booking.op as SettleOp | VoidOp).request_id, result.outcome);
      }
    }
    if (this.#refused.size > 0) this.#forgetVoided(batch, batch_results);
    // The queue was longer than the batch: the operations that stayed in it wait for the next commit.
    if (this.#left_behind) this.#regroup();
    this.#current.endCommit();
  }

  /** Makes all operations of the queue wait for the next commit. */
  #regroup(): void {
    for (const booking of this.#queue) booking.joins(this.#next);
  }

  /** Commits a charge once more, of which it is known now that it has not taken place. */
  #again(booking: Booking): void {
    booking.is_unsure = false;
    booking.joins(this.#next);
    this.#queue.push(booking);
  }

  /** A voided admission is gone for good; one that the books do not know may still be on its way. */
  #forgetVoided(batch: readonly Booking[], results: readonly (QueuedResult | null)[]): void {
    for (const [index, { op }] of batch.entries()) {
      if (op.op === "void" && results[index]?.outcome !== "unknown_request") this.#refused.delete(op.request_id);
    }
  }

  /** Looks for the operation that the store refuses, in halves of the group; refuses it once it is alone. */
  #isolate(refusal: StoreRefusal): void {
    const batch = this.#batch;
    this.#batch = [];
    const [booking] = batch;
    if (batch.length > 1) this.#queue = [...batch, ...this.#queue];
    else if (booking !== undefined) this.#refuseAlone(booking, refusal);
    const ended = [this.#current, this.#next];
    this.#next = new BookingGroup();
    this.#regroup();
    for (const group of ended) group.endCommit();
  }

  #refuseAlone(booking: Booking, refusal: StoreRefusal): void {
    const { op } = booking;
    const request_id = requestOf(op);
    this.#options.log?.error(
      { err: refusal, request_id, operation: op.op },
      "the store refuses an operation of the ledger",
    );
    if (op.op !== "settle" && op.op !== "void") return booking.refuse(unrecordable(refusal));
    if (this.#options.clock.monotonic_ms() - booking.since_ms >= this.#options.give_up_ms)
      booking.refuse(unbookable(refusal));
    const kept = this.#orVoid(booking, this.#options.clock.monotonic_ms());
    kept.joins(this.#parking);
    this.#parked.push(kept);
    if (this.#parked.length === 1) setTimeout(() => this.#unpark(), this.#options.retry_max_ms);
  }

  /** Tries parked operations again, each alone, before all others: their holds wait. */
  #unpark(): void {
    const parked = this.#parked;
    const { endCommit } = this.#parking;
    this.#parked = [];
    this.#parking = new BookingGroup();
    for (const booking of parked) booking.joins(this.#next);
    this.#queue.unshift(...parked);
    endCommit();
    this.#ranges.alone(parked.length);
    this.#running ??= this.#run();
  }

  #keepWhatMustBeBooked(thrown: unknown): void {
    const batch = this.#batch;
    this.#batch = [];
    const { log, give_up_ms } = this.#options;
    log?.error({ err: thrown, operations: batch.length }, "a ledger commit failed");
    const now_ms = this.#options.clock.monotonic_ms();
    const kept: Booking[] = [];
    this.#ranges.clear();
    const nothing_happened =
      thrown instanceof StoreRefusal || (thrown instanceof StoreUnavailable && thrown.nothing_happened);
    for (const booking of batch) {
      if (booking.op.op === "charge" && !nothing_happened) booking.is_unsure = true;
      const stays = staysQueued(booking, { now_ms, give_up_ms, cause: thrown });
      const admit = stays ? null : admissionOf(booking);
      if (admit !== null && !nothing_happened) {
        this.#refused.set(admit.request_id, true);
        kept.push(new Booking<QueuedOp>(undoing(admit), now_ms, this.#next));
      }
      if (stays) kept.push(this.#orVoid(booking, now_ms));
    }
    // Operations that were not sent yet are judged as well: an admission is refused now, not after the next attempt.
    const rest = this.#queue
      .filter((booking) => staysQueued(booking, { now_ms, give_up_ms, cause: thrown }))
      .map((booking) => this.#orVoid(booking, now_ms));
    this.#batch_limit = Math.max(1, batch.length >> 1);
    this.#queue = batch.length === 1 ? [...rest, ...kept] : [...kept, ...rest];
    const ended = [this.#current, this.#next];
    this.#next = new BookingGroup();
    this.#regroup();
    for (const group of ended) group.endCommit();
  }

  /** The operation itself, or the one that is booked in its place. */
  #orVoid(booking: Booking, now_ms: number): Booking {
    const instead = withheldFree(booking);
    return instead === null ? booking : new Booking<QueuedOp>(instead, now_ms, this.#next);
  }

  async #pause(failures: number): Promise<void> {
    const { retry_min_ms, retry_max_ms } = this.#options;
    await Bun.sleep(Math.min(retry_max_ms, retry_min_ms * 2 ** Math.min(failures - 1, 16)));
  }
}

function requestOf(op: QueuedOp): string | null {
  if (op.op === "charge") return op.admit.request_id;
  return "request_id" in op ? op.request_id : null;
}

function admissionOf({ op }: Booking): AdmitOp | null {
  if (op.op === "charge") return op.admit;
  return op.op === "admit" ? op : null;
}
