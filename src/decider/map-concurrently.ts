/**
 * Does the work for every item, at most `at_once` at a time, and returns the results in the order of the items. Rejects
 * as soon as one item fails, and then begins no other.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  at_once: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const waiting = items.entries();
  let failed = false;
  const worker = async () => {
    for (const [index, item] of waiting) {
      if (failed) return;
      results[index] = await work(item);
    }
  };
  const workers = Array.from({ length: Math.min(at_once, items.length) }, worker);
  try {
    await Promise.all(workers);
  } finally {
    failed = true;
  }
  return results;
}
