import type { LedgerOp } from "../../src/core/ledger/ledger.ts";
import { decide } from "../../src/ledger/books/decide.ts";
import { loadMissing } from "../../src/store/batch/load-working-set.ts";
import { writeChanges } from "../../src/store/batch/write-changes.ts";
import type { Work } from "../../src/store/sql/work.ts";
import { OpenWorkingSet } from "../../src/store/sqlite/open-working-set.ts";
import type { Call } from "./draw-call.ts";

/** An operation and the moment at which it is decided. */
interface Event {
  readonly at_ms: number;
  readonly op: LedgerOp;
}

export interface TimedCall extends Call {
  readonly at_ms: number;
}

const EXPECTED: ReadonlySet<string> = new Set(["admitted", "settled", "voided"]);

/** Books calls as a gateway does: the ledger decides each operation at its moment, and the store writes what it decided. */
export class CallWriter {
  readonly #open = new OpenWorkingSet();

  /** Writes calls of one day together: a request that ends is one insertion. Throws where the books refuse one. */
  *writeWhole(calls: readonly TimedCall[]): Work<void> {
    const events = calls.flatMap(eventsOf).toSorted((a, b) => a.at_ms - b.at_ms);
    yield* this.#write(events);
  }

  /** Writes the admissions of calls of one day, which their ends change later. */
  *writeAdmissions(calls: readonly TimedCall[]): Work<void> {
    yield* this.#write(calls.map((call) => eventsOf(call)[0]));
  }

  /** Writes the ends of calls that were admitted. */
  *writeEnds(calls: readonly TimedCall[]): Work<void> {
    yield* this.#write(calls.map((call) => eventsOf(call)[1]).toSorted((a, b) => a.at_ms - b.at_ms));
  }

  *#write(events: readonly Event[]): Work<void> {
    const open = this.#open;
    const ops = events.map(({ op }) => op);
    // What is counted of a day's tags is read of the day on which the calls are.
    open.turnTo(events[0]?.at_ms ?? 0);
    yield* loadMissing(open.working, ops);
    for (const [at, op] of ops.entries()) {
      open.turnTo(events[at]?.at_ms ?? 0);
      const { outcome } = decide(open.working, op);
      if (!EXPECTED.has(outcome)) throw new Error(`the books say ${outcome} to ${op.op}`);
    }
    yield* writeChanges(open.working, open.texts);
    open.written(open.letWait(0));
    open.endBatch();
  }
}

function eventsOf({ admit, end, at_ms, takes_ms }: TimedCall): readonly [admission: Event, end: Event] {
  return [
    { at_ms, op: admit },
    { at_ms: at_ms + takes_ms, op: end },
  ];
}
