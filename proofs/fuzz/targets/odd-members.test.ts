import { expect, test } from "bun:test";
import fc from "fast-check";
import { drill, runs } from "../../support/runs.ts";
import { makeOdd, type OddChange, partsOf, type Tree, textOf, treeOf } from "../inputs/json-tree.ts";
import { withEventChanged } from "../inputs/mutate-frames.ts";
import { ODD_JSON } from "../inputs/odd-values.ts";
import { RICH_BODIES } from "../requests/rich-bodies.ts";
import { bodiesOf, ENDPOINTS } from "../requests/seed-bodies.ts";
import { decisionAnswers } from "./decision-answers.ts";
import { problemOf } from "./explore.ts";
import { KINDS_OF_TARGETS } from "./kinds-of-targets.ts";
import { requests } from "./requests.ts";
import { streams } from "./streams.ts";
import type { FuzzTarget } from "./target.ts";
import { STYLES, WAYS } from "./ways.ts";
import { wholes } from "./wholes.ts";

/**
 * The law: whatever stands in a member of a request, or of a vendor's answer, ends in what a target promises, and never in another
 * error: no encoder and no decoder throws on half of a character, a NUL, or a value of another kind.
 */

const someChange: fc.Arbitrary<OddChange> = fc.oneof(
  fc.constantFrom(...ODD_JSON, JSON.stringify("long ".repeat(4000))).map((put) => ({ put })),
  fc.constantFrom("\\ud800", "\\udc00", "\\u0000", "\\r\\n", "\\u2028", "%", ":").map((append) => ({ append })),
);
const someChanges = fc.array(fc.tuple(fc.nat(), someChange), { minLength: 1, maxLength: 2 });
type Changes = readonly (readonly [part: number, change: OddChange])[];

function makeAllOdd(tree: Tree, changes: Changes): void {
  for (const [part, change] of changes) makeOdd(tree, part, change);
}

/** Input with its JSON changed, behind the byte that chooses the way. */
function oddJson(seed: Buffer, first: number, changes: Changes): Buffer {
  const tree = treeOf(JSON.parse(seed.toString("utf8", 1)) as unknown);
  makeAllOdd(tree, changes);
  return Buffer.concat([Buffer.from([first]), Buffer.from(textOf(tree))]);
}

/** Seeds of more bytes say nothing more, and take long; the more so where each of their parts has its turn. */
const MOST_BYTES = 16 * 1024;
const MOST_BYTES_IN_TURN = 3 * 1024;

function seedsOf(target: FuzzTarget): fc.Arbitrary<Buffer> {
  return fc.constantFrom(...target.seeds().filter(({ length }) => length <= MOST_BYTES));
}

async function expectHeld(target: FuzzTarget, inputs: fc.Arbitrary<Buffer>, count: number): Promise<void> {
  const property = fc.asyncProperty(inputs, async (input) => expect(await problemOf(target, input)).toBeNull());
  await fc.assert(property, { numRuns: runs(count) });
}

/** What broke encoders and decoders before: each part of each seed is made so in turn, as chance rarely meets the one part that matters. */
const KNOWN: readonly OddChange[] = [{ put: "null" }, { append: "\\ud800" }];

function isSmall({ length }: Buffer): boolean {
  return length <= MOST_BYTES_IN_TURN;
}

function* everyPartOdd(seed: Buffer, firstFor: (part: number) => number): Iterable<Buffer> {
  const parts = partsOf(treeOf(JSON.parse(seed.toString("utf8", 1))));
  for (const change of KNOWN)
    for (let part = 0; part < parts; part += 1) yield oddJson(seed, firstFor(part), [[part, change]]);
}

async function problemsOf(target: FuzzTarget, inputs: Iterable<Buffer>): Promise<string[]> {
  const problems = new Set<string>();
  for (const input of inputs) {
    const problem = await problemOf(target, input);
    if (problem !== null) problems.add(`${problem}\n${input.toString().slice(0, 2000)}`);
  }
  return [...problems];
}

test("requests of every style, to every vendor", async () => {
  const kinds = fc.nat({ max: KINDS_OF_TARGETS - 1 });
  const inputs = fc
    .tuple(seedsOf(requests), kinds, someChanges)
    .map(([seed, kind, changes]) => oddJson(seed, (seed[0] ?? 0) + kind * ENDPOINTS.length, changes));
  await expectHeld(requests, inputs, 400);
});

drill(
  "requests with each part in turn as it broke an encoder before",
  async () => {
    const seeds = ENDPOINTS.flatMap((endpoint, index) =>
      [...RICH_BODIES[endpoint], ...bodiesOf(endpoint).sound].map((body) =>
        Buffer.concat([Buffer.from([index]), Buffer.from(JSON.stringify(body))]),
      ),
    );
    for (const seed of seeds.filter(isSmall)) {
      const inputs = everyPartOdd(seed, (part) => (seed[0] ?? 0) + (part % KINDS_OF_TARGETS) * ENDPOINTS.length);
      expect(await problemsOf(requests, inputs)).toEqual([]);
    }
  },
  120_000,
);

test.each(STYLES)("whole answers to %s with each part in turn as it broke a decoder before", async (style) => {
  const seeds = wholes.seeds().filter((seed) => WAYS[seed[0] ?? 0]?.style === style);
  for (const seed of seeds.filter(isSmall))
    expect(
      await problemsOf(
        wholes,
        everyPartOdd(seed, () => seed[0] ?? 0),
      ),
    ).toEqual([]);
});

test("whole answers of every vendor, to every style", async () => {
  const inputs = fc.tuple(seedsOf(wholes), someChanges).map(([seed, changes]) => oddJson(seed, seed[0] ?? 0, changes));
  await expectHeld(wholes, inputs, 800);
});

test("streamed answers of every vendor, to every style", async () => {
  const inputs = fc
    .tuple(seedsOf(streams), fc.nat(), someChanges)
    .map(([seed, event, changes]) =>
      Buffer.concat([
        seed.subarray(0, 1),
        withEventChanged(seed.subarray(1), event, (tree) => makeAllOdd(tree, changes)),
      ]),
    );
  await expectHeld(streams, inputs, 400);
}, 60_000);

test("decisions of every vendor", async () => {
  const inputs = fc
    .tuple(seedsOf(decisionAnswers), someChanges)
    .map(([seed, changes]) => oddJson(seed, seed[0] ?? 0, changes));
  await expectHeld(decisionAnswers, inputs, 800);
});
