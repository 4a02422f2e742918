import { afterAll, beforeEach, expect, test } from "bun:test";
import { HOOK, instrument } from "./instrument.ts";

/** Instrumented code does what it did before, and tells which of its parts ran. */

const hits: number[] = [];
Object.defineProperty(globalThis, HOOK, { value: (block: number) => hits.push(block), configurable: true });

beforeEach(() => {
  hits.length = 0;
});

afterAll(() => {
  Reflect.deleteProperty(globalThis, HOOK);
});

const SOURCE = `
export function grade(points: number, names: readonly string[] = []): string {
  if (points < 0) return "none";
  else if (points < 10) { names = [...names, "low"]; }
  let text = points > 50 ? (points > 90 ? "best" : "good") : names.at(0) ?? "poor";
  for (const name of names) text += name;
  while (points > 1000) points -= 1000;
  switch (points) {
    case 7:
    case 8:
      return "lucky";
    default:
  }
  try { if (points === 13) throw new Error("unlucky"); } catch { return "bad"; }
  const twice = (of: string) => of + of;
  const held = () => ({ text } satisfies { text: string });
  return points === 60 ? twice(held().text) : (text as string);
}
`;

const POINTS = [-1, 5, 7, 8, 13, 20, 60, 70, 95, 2060];

async function load(text: string): Promise<(points: number) => string> {
  const code = new Bun.Transpiler({ loader: "ts" }).transformSync(text);
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { grade } = (await import(url)) as { grade(points: number): string };
  return grade;
}

test("instrumented code gives the same results", async () => {
  const [before, after] = [await load(SOURCE), await load(instrument(SOURCE, "grade.ts", 1))];
  expect(POINTS.map((points) => after(points))).toEqual(POINTS.map((points) => before(points)));
});

test("other ways through the code are told apart", async () => {
  const grade = await load(instrument(SOURCE, "grade.ts", 1));
  const ways = POINTS.map((points) => {
    hits.length = 0;
    grade(points);
    return hits.join();
  });
  expect(new Set(ways).size).toBe(POINTS.length - 1);
  // The two cases share their statements.
  expect(ways[2]).toBe(ways[3] as string);
});

test("lines keep their numbers", () => {
  expect(instrument(SOURCE, "grade.ts", 1).split("\n").length).toBe(SOURCE.split("\n").length);
});

test("text that is no TypeScript is refused by its name", () => {
  expect(() => instrument("function (", "broken.ts", 1)).toThrow("broken.ts cannot be parsed");
});
