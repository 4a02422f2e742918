import type { TrafficSlice } from "../../core/operations/traffic.ts";
import type { SummedSpan, UpkeepStore } from "../../core/operations/upkeep.ts";
import type { Cell, Cells } from "./cells.ts";
import { all, apart, type CellRoutes, home, inCells, named, present, sum } from "./routes.ts";

/**
 * The chores of all cells as one: the node that has claimed a chore in the directory does each step in every cell that is there. Circuits, vendors'
 * spending and wrong rows are shared by the gateway, and the directory's. Refusals lie where their accounts live.
 */
export function upkeepInCells(cells: Cells): UpkeepStore {
  return {
    ...cells.directory.store.upkeep,
    ...inCells(cells, { ...STEPS, ...trafficRoutes(), ...daySumRoutes() }, ({ store }) => store.upkeep),
  };
}

const every = (parts: readonly boolean[]): boolean => parts.every((is_done) => is_done);

const STEPS = {
  makeMonths: present(every),
  async noteMonth({ cells, ask }, kept_since_ms, after_id) {
    const noted = await cells.present((cell) => ask(cell, kept_since_ms, after_id));
    for (const { cell, result } of noted)
      if (result !== null) return { ...result, month: `${cell.name} ${result.month}` };
    return null;
  },
  dropMonth({ cells, ask }, noted, kept_since_ms) {
    const [cell = "", month = ""] = noted.month.split(" ");
    return ask(cells.named(cell), { ...noted, month }, kept_since_ms);
  },
  unneededTagValues: present((parts) => parts.find((part) => part !== null) ?? null),
  dropTagValues: home(named),
  dropRequests: present(sum),
  dropAnswers: present(sum),
  recountTraffic: all(() => undefined),
  // Refusals of accounts whose cell is away are lost: they are counted as far as they can be.
  writeRefusals: ({ cells, ask }, sums) => apart(cells, sums, ask, { may_lose: true }),
  writeRefusedRequests: ({ cells, ask }, requests) => apart(cells, requests, ask, { may_lose: true }),
  dropRefusedRequests: present(sum),
  dropRefusals: present(sum),
  dropVendorSlots: present(sum),
  dropTraffic: present(sum),
} satisfies Partial<CellRoutes<UpkeepStore>>;

/** A slice of all is one slice of each cell. */
function trafficRoutes(): Pick<CellRoutes<UpkeepStore>, "readTrafficSlice" | "writeTrafficSlice"> {
  const parts = new WeakMap<TrafficSlice, readonly { readonly cell: Cell; readonly result: TrafficSlice }[]>();
  return {
    async readTrafficSlice({ cells, ask }, asked) {
      const read = await cells.present((cell) => ask(cell, asked));
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
    async writeTrafficSlice({ ask }, slice) {
      return every(await Promise.all((parts.get(slice) ?? []).map(({ cell, result }) => ask(cell, result))));
    },
  };
}

/** Spans of days are each cell's own: the object says which cell's one is. */
function daySumRoutes(): Pick<CellRoutes<UpkeepStore>, "closeDays" | "makeSums"> {
  const homes = new WeakMap<SummedSpan, Cell>();
  return {
    async closeDays({ cells, ask }) {
      const closed = await cells.present((cell) => ask(cell));
      for (const { cell, result } of closed) for (const span of result) homes.set(span, cell);
      return closed.flatMap(({ result }) => result);
    },
    async makeSums({ cells, ask }, span, accounts) {
      const cell = homes.get(span);
      if (cell !== undefined) return await ask(cell, span, accounts);
      const made = await cells.present((each) => ask(each, span, accounts));
      return made.some(({ result }) => result);
    },
  };
}
