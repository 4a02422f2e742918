import { expect, test } from "bun:test";
import { readCells } from "./cells.ts";

const DIRECTORY = "postgres://camino@db/camino";
const NORTH = "postgres://camino@north/camino?sslmode=require";

test("without cells there are none", () => {
  expect(readCells({}, DIRECTORY)).toBeNull();
  expect(readCells({ CAMINO_CELLS: "  " }, null)).toBeNull();
});

test("cells have names, addresses and weights", () => {
  const env = { CAMINO_CELLS: `north=${NORTH}\n south=postgres://south/b`, CAMINO_CELL_WEIGHTS: "directory=0 south=3" };
  expect(readCells(env, DIRECTORY)).toEqual({
    directory_weight: 0,
    cells: [
      { name: "north", url: NORTH, weight: 1 },
      { name: "south", url: "postgres://south/b", weight: 3 },
    ],
  });
});

test.each([
  ["no database for the directory", { CAMINO_CELLS: `north=${NORTH}` }, null, "needs a PostgreSQL database"],
  ["an embedded directory", { CAMINO_CELLS: `north=${NORTH}` }, "sqlite:a.db", "needs a PostgreSQL database"],
  ["a part without a name", { CAMINO_CELLS: NORTH }, DIRECTORY, "a part without a name"],
  ["a name twice", { CAMINO_CELLS: `north=${NORTH} north=postgres://b/b` }, DIRECTORY, "names north twice"],
  ["an address twice", { CAMINO_CELLS: `north=${NORTH} south=${NORTH}` }, DIRECTORY, "one address twice"],
  ["the directory's address", { CAMINO_CELLS: `north=${DIRECTORY}` }, DIRECTORY, "one address twice"],
  ["the directory's name", { CAMINO_CELLS: `directory=${NORTH}` }, DIRECTORY, "names directory"],
  ["another engine", { CAMINO_CELLS: "north=sqlite:b.db" }, DIRECTORY, 'must begin with "postgres://"'],
  ["weights alone", { CAMINO_CELL_WEIGHTS: "north=1" }, DIRECTORY, "CAMINO_CELLS is not"],
  ["a weight of nobody", { CAMINO_CELLS: `north=${NORTH}`, CAMINO_CELL_WEIGHTS: "west=1" }, DIRECTORY, "no cell"],
  [
    "a weight that is none",
    { CAMINO_CELLS: `north=${NORTH}`, CAMINO_CELL_WEIGHTS: "north=half" },
    DIRECTORY,
    "0 to 1000",
  ],
  [
    "no weight at all",
    { CAMINO_CELLS: `north=${NORTH}`, CAMINO_CELL_WEIGHTS: "north=0 directory=0" },
    DIRECTORY,
    "every cell 0",
  ],
])("%s is refused", (_, env, database_url, said) => {
  expect(() => readCells(env, database_url)).toThrow(said);
});

test("no message shows an address", () => {
  const secret = "postgres://camino:hunter2@db/camino";
  expect(() => readCells({ CAMINO_CELLS: secret }, DIRECTORY)).not.toThrow("hunter2");
});
