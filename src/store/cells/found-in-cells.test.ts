import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keyRecord } from "../../../proofs/support/key-record.ts";
import { placeOfCell } from "../../core/cell-place.ts";
import type { KeyRecord } from "../../core/people/principal.ts";
import type { Store } from "../../core/store/ports.ts";
import { StoreUnavailable } from "../../core/store-errors.ts";
import { openStore } from "../open-store.ts";
import { Cells } from "./cells.ts";
import { findByHash } from "./found-in-cells.ts";

const record = keyRecord({ id: "key_1" });

/** A key leads to its cell (docs/rulings.md 247): which cells are asked for it, and what is said where one does not answer. */

let folder: string;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-cells-"));
  store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id: "node_1", notify: () => {} });
}, 60_000);
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

interface Situation {
  readonly place?: string;
  readonly knows?: string;
  readonly away?: string;
}

/** Asks cells of which some are away and one may know the key: which were asked, in their order, and what was found. */
async function look({ place, knows, away }: Situation) {
  const others = ["north", "south"].map((name) => ({ name, weight: 1, store }));
  const cells = new Cells(store, others, 1);
  const asked: string[] = [];
  const ask = async ({ name }: { readonly name: string }): Promise<KeyRecord | null> => {
    asked.push(name);
    if (name === away) throw new StoreUnavailable("unreachable", `${name} is away`, { nothing_happened: true });
    return name === knows ? record : null;
  };
  const found = await findByHash({ cells, ask }, "hash", place).then(
    (key) => (key === null ? "nothing" : cells.cellOfKey(key.id)?.name),
    (thrown: unknown) => (thrown instanceof StoreUnavailable ? "503" : "a bug"),
  );
  return { asked, found };
}

const NORTH = placeOfCell("north");
const ALL = ["directory", "north", "south"];

const NORTH_FIRST = ["north", "directory", "south"];

test.each<[string, Situation, string[], string]>([
  ["that names its cell is looked for there alone", { place: NORTH, knows: "north" }, ["north"], "north"],
  [
    "whose account has moved is looked for in the others as well",
    { place: NORTH, knows: "south" },
    NORTH_FIRST,
    "south",
  ],
  // All once more: what moves may have come to one cell after its answer and have left the other one before.
  ["that no cell knows is nobody's", { place: NORTH }, [...NORTH_FIRST, ...ALL], "nothing"],
  ["that names a cell of another gateway is looked for everywhere", { place: "0000", knows: "south" }, ALL, "south"],
  ["from before there were cells is looked for everywhere", { knows: "south" }, ALL, "south"],
  ["whose cell is away waits for it", { place: NORTH, away: "north" }, NORTH_FIRST, "503"],
  [
    "whose cell is there asks no cell that is away",
    { place: NORTH, knows: "north", away: "south" },
    ["north"],
    "north",
  ],
  [
    "whose account has left a cell that is away is found",
    { place: NORTH, knows: "south", away: "north" },
    NORTH_FIRST,
    "south",
  ],
  ["without a cell is found beside one that is away", { knows: "north", away: "south" }, ALL, "north"],
  ["that may be in a cell that is away waits for it", { away: "south" }, ALL, "503"],
])("a key %s", async (_, situation, asked, found) => {
  expect(await look(situation)).toEqual({ asked, found });
});
