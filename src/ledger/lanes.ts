import { RecentMap } from "../core/recent-map.ts";
import type { Ledger } from "./ledger.ts";

/** The part of an operation that decides its lane. */
interface OfAccount {
  readonly account_id?: string;
}

/** How many admissions are remembered with their ledger: more than run at once, and those that were refused beside them. */
const REMEMBERED = 100_000;

/**
 * Several ledgers as one, each with a queue and commits of its own: what waits in one holds up nothing in another. An operation goes to the ledger
 * of its account (docs/adr/0085). `laneOf` gives the place of an account's ledger. What follows an admission goes where that went, as the hold is
 * there: where an account lives may be forgotten meanwhile, or known anew.
 */
export function ledgerInLanes(ledgers: readonly Ledger[], laneOf: (account_id: string) => number): Ledger {
  const [first] = ledgers;
  if (first === undefined) throw new Error("there is no ledger");
  const of = ({ account_id }: OfAccount): Ledger =>
    account_id === undefined ? first : (ledgers[laneOf(account_id)] ?? first);
  const admitted = new RecentMap<Ledger>(REMEMBERED);
  const ofRequest = (op: OfAccount & { readonly request_id: string }): Ledger => admitted.get(op.request_id) ?? of(op);
  const ending = (op: OfAccount & { readonly request_id: string }): Ledger => {
    const ledger = ofRequest(op);
    admitted.delete(op.request_id);
    return ledger;
  };
  return {
    admit(op) {
      const ledger = of(op);
      admitted.set(op.request_id, ledger);
      return ledger.admit(op);
    },
    charge: (op) => of(op.admit).charge(op),
    extend: (op) => ofRequest(op).extend(op),
    progress: (op) => ofRequest(op).progress(op),
    settle: (op) => ending(op).settle(op),
    void: (op) => ending(op).void(op),
    countRefusal: (op) => of(op).countRefusal(op),
    get pending() {
      return ledgers.reduce((sum, { pending }) => sum + pending, 0);
    },
    unbookedRequests: () => new Set(ledgers.flatMap((ledger) => [...ledger.unbookedRequests()])),
    wasRefused: (request_id) => ledgers.some((ledger) => ledger.wasRefused(request_id)),
    async drain() {
      await Promise.all(ledgers.map((ledger) => ledger.drain()));
    },
  };
}
