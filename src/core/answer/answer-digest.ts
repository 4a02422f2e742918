const DIGEST_BITS = 52;

/**
 * What a receipt keeps of its answer's own id, so that the request is found by it: 52 bits of a hash, which every number of JSON holds. An
 * account of a million receipts finds another's for an unknown id once in four billion times (docs/rulings.md 230).
 */
export function answerDigest(id: string): number {
  return Number(BigInt.asUintN(DIGEST_BITS, Bun.hash.xxHash64(id)));
}
