import { expect, test } from "bun:test";
import fc from "fast-check";
import { readPage, showPage } from "./page.ts";

const record = fc.record({ id: fc.uuid(), created_ms: fc.nat(5) });

/** What a store answers: newest first, in a stable order within a millisecond. */
function newestFirst<Item extends { created_ms: number }>(records: readonly Item[]) {
  return (read: { limit: number; before_ms?: number }) =>
    records
      .toSorted((a, b) => b.created_ms - a.created_ms)
      .filter(({ created_ms }) => created_ms < (read.before_ms ?? Number.POSITIVE_INFINITY))
      .slice(0, read.limit);
}

test("the pages together have every record once, in order, however many share a millisecond", () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), fc.integer({ min: 1, max: 7 }), (records, limit) => {
      const store = newestFirst(records);
      const seen: string[] = [];
      let before: string | null = "";
      while (before !== null) {
        const page = readPage({ limit: String(limit), ...(before === "" ? {} : { before }) });
        const shown = showPage(store(page.read), page, ({ id }) => id);
        expect(shown.data.length).toBeLessThanOrEqual(limit);
        expect(shown.has_more).toBe(shown.next_before !== null);
        seen.push(...shown.data);
        before = shown.next_before;
      }
      expect(seen).toEqual(store({ limit: Number.POSITIVE_INFINITY }).map(({ id }) => id));
    }),
  );
});

test("a page has 50 records where nothing is said", () => {
  expect(readPage({}).limit).toBe(50);
});
