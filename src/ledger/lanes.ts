import type { Ledger } from "./ledger.ts";

/** Operations as far as their lane goes by them. */
interface OfAccount {
  readonly account_id?: string;
}

/**
 * Several ledgers as one, each with a queue and commits of its own: what waits in one holds up nothing in another. An operation goes to the ledger
 * of its account (docs/adr/0085). `laneOf` gives the place of an account's ledger.
 */
export function ledgerInLanes(ledgers: readonly Ledger[], laneOf: (account_id: string) => number): Ledger {
  const [first] = ledgers;
  if (first === undefined) throw new Error("there is no ledger");
  const of = ({ account_id }: OfAccount): Ledger =>
    account_id === undefined ? first : (ledgers[laneOf(account_id)] ?? first);
  return {
    admit: (op) => of(op).admit(op),
    charge: (op) => of(op.admit).charge(op),
    extend: (op) => of(op).extend(op),
    progress: (op) => of(op).progress(op),
    settle: (op) => of(op).settle(op),
    void: (op) => of(op).void(op),
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
