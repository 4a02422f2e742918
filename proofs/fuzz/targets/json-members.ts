import { readFileSync } from "node:fs";
import { REQUEST_BOUNDS } from "../../../src/core/answer/request-bounds.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { isObject } from "../../../src/core/json.ts";
import { findItems, findMembers, replaceMembers } from "../../../src/protocols/shared/json-members.ts";
import { findExcess } from "../../../src/protocols/shared/json-shape.ts";
import { parseBody } from "../../../src/protocols/shared/parse-json.ts";
import type { Draw } from "../../torture/draw.ts";
import { fixtureFiles } from "../inputs/fixtures.ts";
import { mutateTree, namesIn, textOf, treeOf } from "../inputs/json-tree.ts";
import { JSON_WORDS } from "../inputs/odd-values.ts";
import { depthOf, partsOf } from "./reference-json.ts";
import { Broken, expectSame, expectThat, type FuzzTarget } from "./target.ts";

export const jsonMembers: FuzzTarget = {
  name: "json",
  promise:
    "the members of a body stand where JSON has them, changing one changes no other, and too many levels are told",
  words: JSON_WORDS,
  seeds: () => [...fixtureFiles(".json").map((path) => readFileSync(path)), ...SMALL.map((text) => Buffer.from(text))],
  run,
  mutate: mutateText,
};

const SMALL = [
  "{}",
  ' { "a" : [ ] , "b":[1,[2],"]"] , "c":{"d":"}"}}\n',
  '{"mod\\u0065l":"m","\\"":"\\\\","x":[{"y":"],\\"z\\":"}],"n":-0.5e+3}',
  `{${Array.from({ length: 30 }, (_, at) => `"k${at}":${at}`).join(",")}}`,
];

function run(input: Buffer): void {
  const text = input.toString("utf8");
  const parsed = parsedOrNull(text);
  if (parsed !== undefined) checkDepth(text);
  if (!isObject(parsed)) return expectRefused(text);
  const expected = partsOf(text);
  const keys = expected.map(({ key }) => key);
  if (new Set(keys).size < keys.length) return expectRepeatRefused(text);
  const members = findMembers(text);
  expectSame("the keys and JSON's", members.keys(), keys);
  for (const [index, { key, start, value_start, end }] of expected.entries()) {
    expectSame(`the place of ${JSON.stringify(key)} and JSON's`, members.at(index), { start, value_start, end });
    expectThat(members.indexOf(key) === index && members.has(key), `the member ${JSON.stringify(key)} is not found`);
    if (text[value_start] === "[") {
      const items = partsOf(text, value_start).map((part) => ({ start: part.start, end: part.end }));
      expectSame(`the items of ${JSON.stringify(key)} and JSON's`, findItems(text, value_start), items);
    }
  }
  expectThat(members.indexOf("absent") === keys.indexOf("absent"), "a member is found that is not there");
  checkChanges(
    text,
    expected.map(({ key, value_start, end }) => [key, text.slice(value_start, end)]),
  );
}

/** A text is refused for its depth exactly where it is too deep, in repeated members as well, which a value has lost. */
function checkDepth(text: string): void {
  const depth = depthOf(text);
  const is_refused = findExcess(text)?.kind === "levels";
  expectThat(is_refused === depth > REQUEST_BOUNDS.levels, `${depth} levels are ${is_refused ? "" : "not "}refused`);
}

type Pair = [key: string, value: string];

/** One member replaced, one removed, one added: all others stay as they are. */
function checkChanges(text: string, before: Pair[]): void {
  const choice = Bun.hash.crc32(text);
  const replaced = before[choice % Math.max(1, before.length)]?.[0];
  const removed = before[(choice >>> 8) % Math.max(1, before.length)]?.[0];
  const changes: [string, string | null][] = [["added by the test", "[1]"]];
  if (replaced !== undefined && replaced !== removed) changes.push([replaced, '"new"']);
  if (removed !== undefined) changes.push([removed, null]);
  const changed = replaceMembers(text, changes);
  if (parsedOrNull(changed) === undefined) throw new Broken(`a changed body is no JSON: ${changed.slice(0, 400)}`);
  const after = before
    .filter(([key]) => key !== removed)
    .map(([key, value]): Pair => [key, key === replaced && replaced !== removed ? '"new"' : value]);
  const found = partsOf(changed).map(({ key, value_start, end }): Pair => [key, changed.slice(value_start, end)]);
  const expected = before.some(([key]) => key === "added by the test")
    ? found
    : [...after, ["added by the test", "[1]"]];
  expectSame("a changed body and what it should be", found, expected);
}

function expectRefused(text: string): void {
  try {
    parseBody(text);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "invalid_json") return;
    throw thrown;
  }
  throw new Broken("a body that is no JSON object was read");
}

function expectRepeatRefused(text: string): void {
  try {
    findMembers(text);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "invalid_json") return;
    throw thrown;
  }
  throw new Broken("a body with a repeated member was read");
}

/** Undefined for what is no JSON. */
function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Changes JSON as a tree, with blanks between its parts at times; what is no JSON is left as it is. */
export function mutateText(input: Buffer, draw: Draw, other: Buffer): Buffer {
  const parsed = parsedOrNull(input.toString());
  const second = parsedOrNull(other.toString());
  if (typeof parsed !== "object" || parsed === null) return input;
  const tree = treeOf(parsed);
  const spliced = second === undefined ? {} : { other: treeOf(second) };
  mutateTree(tree, draw, { names: namesIn([tree]), most_repeats: 40, ...spliced });
  const text = textOf(tree);
  return Buffer.from(draw.chance(0.2) ? text.replaceAll(/(?<=[,{[])"/g, ` ${draw.one(["", "\n", "\t"])}"`) : text);
}
