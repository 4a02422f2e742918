import { expect, test } from "bun:test";
import { hit } from "../coverage/coverage-map.ts";
import { explore } from "./explore.ts";
import { expectThat, type FuzzTarget } from "./target.ts";

/** Breaks for inputs that begin with the word, letter by letter: only a search that keeps what is new gets there. */
const guarded = (word: string): FuzzTarget => ({
  name: "guarded",
  promise: "none",
  words: ["!", "b", "g", "u", "x"],
  seeds: () => [Buffer.from("........")],
  run: (input) => {
    const text = input.toString("latin1");
    for (let at = 0; at < word.length; at += 1) {
      if (text[at] !== word[at]) return;
      hit(1000 + at * 7);
    }
    expectThat(false, "the word was found");
  },
});

const FOREVER = Number.POSITIVE_INFINITY;

test("a search finds what lies behind several steps, and makes the input small", async () => {
  const target: FuzzTarget = { ...guarded("bug!"), seeds: () => [Buffer.from("....tail")] };
  const { breaches } = await explore(target, {
    seed: 1,
    until_ms: FOREVER,
    most: { executions: 500_000, breaches: 1 },
  });
  expect(breaches.map(({ input }) => input.toString("latin1"))).toEqual(["bug!"]);
});

test("a seed that breaks a promise is told, and the search goes on", async () => {
  const target: FuzzTarget = { ...guarded("b"), seeds: () => [Buffer.from("bad"), Buffer.from("good")] };
  const { breaches, executions } = await explore(target, {
    seed: 1,
    until_ms: FOREVER,
    most: { executions: 100, breaches: 2 },
  });
  expect(breaches.map(({ input }) => input.toString("latin1"))).toEqual(["b"]);
  expect(executions).toBeGreaterThanOrEqual(100);
});

test("equal seeds try equal inputs", async () => {
  const tried = async (): Promise<string[]> => {
    const inputs: string[] = [];
    const target: FuzzTarget = { ...guarded("never"), run: () => {} };
    const onInput = (input: Buffer): void => void inputs.push(input.toString("base64"));
    await explore(target, { seed: 7, until_ms: FOREVER, most: { executions: 500, breaches: 1 }, onInput });
    return inputs;
  };
  expect(await tried()).toEqual(await tried());
});
