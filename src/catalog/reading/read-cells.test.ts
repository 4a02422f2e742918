import { describe, expect, test } from "bun:test";
import { loadConfiguration, tryLoad } from "../configuration/load-configuration.ts";

const env = { NORTH_URL: "postgres://camino:hunter2@north/camino" };
const problemsOf = (file_text: string) => tryLoad({ file_text, file_name: "camino.yaml", env }).problems;

test("cells have names, addresses with variables, and weights", () => {
  const file_text = `cells:
  directory: { weight: 0 }
  north: { url: "\${NORTH_URL}", weight: 3 }
  south: { url: postgres://south/camino }
`;
  expect(loadConfiguration({ file_text, file_name: "camino.yaml", env }).cells).toEqual({
    directory_weight: 0,
    cells: [
      { name: "north", url: env.NORTH_URL, weight: 3 },
      { name: "south", url: "postgres://south/camino", weight: 1 },
    ],
  });
});

describe("in the section of cells", () => {
  test.each([
    ["no cell", "{ directory: { weight: 1 } }", "cells", "none"],
    ["a list", "[north]", "cells", "a list"],
    ["a name with capitals", "{ North: { url: postgres://n/c } }", "cells.North", 'the name "North"'],
    ["a cell without an address", "{ north: { weight: 2 } }", "cells.north.url", "nothing"],
    ["another engine", "{ north: { url: sqlite:a.db } }", "cells.north.url", "a value that is not shown"],
    ["a variable that is not set", '{ north: { url: "${GONE}" } }', "cells.north.url", "GONE"],
    [
      "a misspelt field",
      "{ north: { url: postgres://n/c, wieght: 2 } }",
      "cells.north.wieght",
      'did you mean "weight"',
    ],
    ["half a weight", "{ north: { url: postgres://n/c, weight: 0.5 } }", "cells.north.weight", '"0.5"'],
    ["a weight that is too large", "{ north: { url: postgres://n/c, weight: 1001 } }", "cells.north.weight", '"1001"'],
    [
      "weights of 0 alone",
      "{ directory: { weight: 0 }, north: { url: postgres://n/c, weight: 0 } }",
      "cells",
      "0 for every cell",
    ],
    [
      "the directory's address",
      "{ directory: { url: postgres://d/c }, north: { url: postgres://n/c } }",
      "cells.directory.url",
      "an address",
    ],
    [
      "one name twice",
      "{ north: { url: postgres://n/c }, north: { url: postgres://m/c } }",
      "cells.north",
      "a second time",
    ],
    [
      "one database twice",
      "{ north: { url: postgres://n/c }, south: { url: postgresql://n:5432/c?sslmode=require } }",
      "cells.south.url",
      "the database of north",
    ],
  ])("%s is a problem", (_, cells, path, found) => {
    expect(problemsOf(`cells: ${cells}\n`)).toMatchObject([{ path, found: expect.stringContaining(found) }]);
  });

  test("two users of one database are two cells, as each may have a schema of its own", () => {
    expect(problemsOf("cells: { a: { url: postgres://a@n/c }, b: { url: postgres://b@n/c } }\n")).toEqual([]);
  });

  test("no problem shows an address", () => {
    const found = problemsOf('cells: { north: { url: "${NORTH_URL}" }, south: { url: "${NORTH_URL}" } }\n');
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });
});
