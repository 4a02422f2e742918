import { describe, expect, test } from "bun:test";
import type { AccountPlaces, PlacedAccount } from "../../core/store/cells.ts";
import { auditPlaces } from "./audit-places.ts";

/** Each account is in the one cell that the directory names (docs/rulings.md 240). */

const NOW_MS = 1_000_000;
const place = (id: string, cell: string, created_ms = 0): PlacedAccount => ({ id, cell, created_ms });

/** Two at a time, by id, as a cell with many answers. */
function placesOf(here: readonly string[], elsewhere: readonly PlacedAccount[] = []): AccountPlaces {
  return {
    accountsAfter: async (after) => here.filter((id) => id > after).slice(0, 2),
    placesAfter: async (after) => elsewhere.filter(({ id }) => id > after).slice(0, 2),
  };
}

const IDS = ["a", "b", "c", "d", "e", "f", "g"];
const ODD = IDS.filter((_, at) => at % 2 === 0);
const EVEN = IDS.filter((_, at) => at % 2 === 1);
const ELSEWHERE = IDS.map((id, at) => place(id, at % 2 === 0 ? "north" : "south"));

async function audit(elsewhere: readonly PlacedAccount[], north: readonly string[], south: readonly string[]) {
  const cells = [
    { name: "north", places: placesOf(north) },
    { name: "south", places: placesOf(south) },
  ];
  const { findings, more } = await auditPlaces(placesOf(["h"], elsewhere), cells, NOW_MS);
  return {
    more,
    found: findings.map(({ place: { account_id }, found, expected }) => [account_id ?? "", found, expected]),
  };
}

describe("the audit of places", () => {
  const CASES: { what: string; elsewhere?: PlacedAccount[]; north?: string[]; south?: string[]; found: string[][] }[] =
    [
      { what: "nothing where all is right", found: [] },
      {
        what: "an account that its cell lacks",
        north: ODD.slice(0, -1),
        found: [["g", "no account in north", "north"]],
      },
      { what: "nothing in one that is being made", elsewhere: [place("h", "north", NOW_MS - 1)], found: [] },
      { what: "one that two cells have", south: [...EVEN, "g"], found: [["g", "south", "north"]] },
      { what: "one that the directory does not know", north: [...ODD, "z"], found: [["z", "north", "directory"]] },
      {
        what: "one whose cell is not configured",
        elsewhere: [place("z", "west")],
        found: [["z", "no such cell is configured", "west"]],
      },
      {
        what: "both ends of a row that was moved",
        north: ODD.filter((id) => id !== "c"),
        south: [...EVEN, "c"].toSorted(),
        found: [
          ["c", "no account in north", "north"],
          ["c", "south", "north"],
        ],
      },
    ];
  test.each(CASES)("finds $what", async ({ elsewhere = [], north = ODD, south = EVEN, found }) => {
    expect(await audit([...ELSEWHERE, ...elsewhere], north, south)).toEqual({ found, more: 0 });
  });

  test("shows a hundred, and counts the others", async () => {
    const lost = Array.from({ length: 250 }, (_, at) => place(`x${String(at).padStart(4, "0")}`, "north"));
    const { found, more } = await audit(lost, [], []);
    expect([found.length, more]).toEqual([100, 150]);
  });
});
