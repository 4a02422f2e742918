/** The operations of a batch that belong to one transaction, in their order, and where they stand in the batch. */
export interface Part<Op> {
  /** Null: a request that the database does not know. */
  readonly account_id: string | null;
  readonly ops: Op[];
  readonly places: number[];
}

/**
 * Parts a batch by account. An operation without an account is of a request that nobody knows: all of one such request are a part, because a
 * request that turns up meanwhile has an account after all.
 */
export function partsOf<Op>(
  ops: readonly Op[],
  accountOf: (op: Op) => string | undefined,
  requestOf: (op: Op) => string,
): readonly Part<Op>[] {
  const parts = new Map<string, Part<Op>>();
  for (const [place, op] of ops.entries()) {
    const account_id = accountOf(op);
    const name = account_id === undefined ? `of request ${requestOf(op)}` : `of account ${account_id}`;
    const part = parts.get(name) ?? { account_id: account_id ?? null, ops: [], places: [] };
    part.ops.push(op);
    part.places.push(place);
    parts.set(name, part);
  }
  return [...parts.values()];
}
