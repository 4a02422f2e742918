import { expect, test } from "bun:test";
import type { CellSettings } from "../../core/catalog/cell-settings.ts";
import { readCells } from "./cells.ts";

const DIRECTORY = "postgres://camino@db/camino";
const NORTH = "postgres://camino@north/camino?sslmode=require";

const FILE: CellSettings = { directory_weight: 1, cells: [{ name: "east", url: "postgres://east/e", weight: 2 }] };

test("those of the file count where the environment names none", () => {
  expect(readCells({}, DIRECTORY, FILE)).toEqual(FILE);
  expect(readCells({ CAMINO_CELLS: `north=${NORTH}` }, DIRECTORY, FILE)?.cells).toMatchObject([{ name: "north" }]);
});

test.each([
  ["without a PostgreSQL database", null, "need a PostgreSQL database"],
  [
    "with the directory's own address",
    "postgres://east:5432/e?sslmode=require",
    "give east the database of the directory",
  ],
])("the file's cells are refused %s", (_, database_url, said) => {
  expect(() => readCells({}, database_url, FILE)).toThrow(said);
});

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
  ["no database for the directory", { CAMINO_CELLS: `north=${NORTH}` }, null, "need a PostgreSQL database"],
  ["an embedded directory", { CAMINO_CELLS: `north=${NORTH}` }, "sqlite:a.db", "need a PostgreSQL database"],
  ["a part without a name", { CAMINO_CELLS: NORTH }, DIRECTORY, "a part without a name"],
  ["a name twice", { CAMINO_CELLS: `north=${NORTH} north=postgres://b/b` }, DIRECTORY, "names north twice"],
  ["an address twice", { CAMINO_CELLS: `north=${NORTH} south=${NORTH}` }, DIRECTORY, "north and south one database"],
  [
    "the directory's address",
    { CAMINO_CELLS: `north=${DIRECTORY}` },
    DIRECTORY,
    "give north the database of the directory",
  ],
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
