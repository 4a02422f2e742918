import type { TrafficSlice } from "../../core/operations/traffic.ts";
import type { MonthNotes, SummedSpan, UpkeepStore } from "../../core/operations/upkeep.ts";
import type { Cell, Cells } from "./cells.ts";
import { byHome } from "./responses-in-cells.ts";

/**
 * The chores of all cells as one: who has a chore by the directory's word does each step in every cell that is there. What the gateway shares is the
 * directory's: circuits, vendors' spending, rows that are wrong. Refusals lie where their accounts live.
 */
export function upkeepInCells(cells: Cells): UpkeepStore {
  const { upkeep } = cells.directory.store;
  const sum = async (step: (store: UpkeepStore) => Promise<number>): Promise<number> => {
    const done = await cells.present(({ store }) => step(store.upkeep));
    return done.reduce((all, { result }) => all + result, 0);
  };
  const every = async (step: (store: UpkeepStore) => Promise<boolean>): Promise<boolean> =>
    (await cells.present(({ store }) => step(store.upkeep))).every(({ result }) => result);
  return {
    ...upkeep,
    makeMonths: (since_ms) => every((store) => store.makeMonths(since_ms)),
    ...months(cells),
    async unneededTagValues(most) {
      const found = await cells.present(({ store }) => store.upkeep.unneededTagValues(most));
      return found.find(({ result }) => result !== null)?.result ?? null;
    },
    dropTagValues: async (values) => (await cells.homeOf(values.account_id)).store.upkeep.dropTagValues(values),
    dropRequests: (kept_since_ms) => sum((store) => store.dropRequests(kept_since_ms)),
    dropAnswers: (limit_bytes) => sum((store) => store.dropAnswers(limit_bytes)),
    ...traffic(cells),
    async recountTraffic() {
      await cells.each(({ store }) => store.upkeep.recountTraffic());
    },
    writeRefusals: (sums) => eachHome(cells, sums, ({ store }, own) => store.upkeep.writeRefusals(own)),
    writeRefusedRequests: (all) => eachHome(cells, all, ({ store }, own) => store.upkeep.writeRefusedRequests(own)),
    dropRefusedRequests: (kept_since_ms) => sum((store) => store.dropRefusedRequests(kept_since_ms)),
    dropRefusals: (kept_since_ms) => sum((store) => store.dropRefusals(kept_since_ms)),
    dropVendorSlots: (kept_since_ms) => sum((store) => store.dropVendorSlots(kept_since_ms)),
    dropTraffic: (kept_since_ms) => sum((store) => store.dropTraffic(kept_since_ms)),
    ...daySums(cells),
  };
}

function months(cells: Cells): Pick<UpkeepStore, "noteMonth" | "dropMonth"> {
  const cellOf = ({ month }: Pick<MonthNotes, "month">): Cell => cells.named(month.slice(0, month.indexOf(" ")));
  return {
    async noteMonth(kept_since_ms, after_id) {
      const noted = await cells.present(({ store }) => store.upkeep.noteMonth(kept_since_ms, after_id));
      for (const { cell, result } of noted)
        if (result !== null) return { ...result, month: `${cell.name} ${result.month}` };
      return null;
    },
    dropMonth(noted, kept_since_ms) {
      const { store } = cellOf(noted);
      return store.upkeep.dropMonth(
        { ...noted, month: noted.month.slice(noted.month.indexOf(" ") + 1) },
        kept_since_ms,
      );
    },
  };
}

/** A slice is one of each cell. */
function traffic(cells: Cells): Pick<UpkeepStore, "readTrafficSlice" | "writeTrafficSlice"> {
  const parts = new WeakMap<TrafficSlice, readonly { readonly cell: Cell; readonly result: TrafficSlice }[]>();
  return {
    async readTrafficSlice(asked) {
      const read = await cells.present(({ store }) => store.upkeep.readTrafficSlice(asked));
      const slices = read.map(({ result }) => result);
      const whole: TrafficSlice = {
        revision: 0,
        to_seq: 0,
        counted_ms: Math.min(...slices.map(({ counted_ms }) => counted_ms)),
        cells: slices.flatMap((slice) => slice.cells),
        vendors: slices.flatMap(({ vendors }) => vendors),
        wait: slices.flatMap(({ wait }) => wait),
        settled: slices.flatMap(({ settled }) => settled),
        has_more: slices.some(({ has_more }) => has_more),
      };
      parts.set(whole, read);
      return whole;
    },
    async writeTrafficSlice(slice) {
      const written = (parts.get(slice) ?? []).map(({ cell, result }) => cell.store.upkeep.writeTrafficSlice(result));
      return (await Promise.all(written)).every((is_written) => is_written);
    },
  };
}

/** Spans of days are each cell's own: which cell's one is, is known by the object. */
function daySums(cells: Cells): Pick<UpkeepStore, "closeDays" | "makeSums"> {
  const homes = new WeakMap<SummedSpan, Cell>();
  return {
    async closeDays() {
      const closed = await cells.present(({ store }) => store.upkeep.closeDays());
      return closed.flatMap(({ cell, result }) =>
        result.map((each) => {
          const span = { ...each };
          homes.set(span, cell);
          return span;
        }),
      );
    },
    async makeSums(span, accounts) {
      const cell = homes.get(span);
      if (cell !== undefined) return await cell.store.upkeep.makeSums(span, accounts);
      const made = await cells.present(({ store }) => store.upkeep.makeSums(span, accounts));
      return made.some(({ result }) => result);
    },
  };
}

/** What a cell that is away would get is lost: refusals are counted as far as they can be. */
async function eachHome<Row extends { readonly account_id: string }>(
  cells: Cells,
  rows: readonly Row[],
  write: (cell: Cell, own: readonly Row[]) => Promise<void>,
): Promise<void> {
  const by_cell = await byHome(cells, rows);
  await Promise.allSettled(Array.from(by_cell, async ([cell, own]) => await write(cell, own)));
}
