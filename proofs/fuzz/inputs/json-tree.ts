import type { Draw } from "../../torture/draw.ts";
import { ODD_JSON, ODD_NAMES } from "./odd-values.ts";

/**
 * JSON as a tree that keeps what a parsed value loses: the order of keys, repeated keys, and numbers as written.
 * A leaf is its JSON text.
 */
export type Tree =
  | { readonly kind: "leaf"; text: string }
  | { readonly kind: "array"; items: Tree[] }
  | { readonly kind: "object"; members: Member[] };

export interface Member {
  /** The key as written, with its quotes. */
  key: string;
  value: Tree;
}

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { kind: "array", items: value.map(treeOf) };
  if (typeof value !== "object" || value === null) return { kind: "leaf", text: JSON.stringify(value) ?? "null" };
  const members = Object.entries(value).map(
    ([key, held]): Member => ({ key: JSON.stringify(key), value: treeOf(held) }),
  );
  return { kind: "object", members };
}

export function textOf(tree: Tree): string {
  switch (tree.kind) {
    case "leaf":
      return tree.text;
    case "array":
      return `[${tree.items.map(textOf).join(",")}]`;
    case "object":
      return `{${tree.members.map(({ key, value }) => `${key}:${textOf(value)}`).join(",")}}`;
  }
}

/** The member of an object tree by its key; undefined where there is none. */
export function memberOf(tree: Tree, key: string): Member | undefined {
  return tree.kind === "object" ? tree.members.find((member) => member.key === JSON.stringify(key)) : undefined;
}

export function setMember(tree: Tree, key: string, value: unknown): void {
  if (tree.kind !== "object") return;
  const member = memberOf(tree, key);
  if (member === undefined) tree.members.push({ key: JSON.stringify(key), value: treeOf(value) });
  else member.value = treeOf(value);
}

export interface MutateTreeOptions {
  /** Keys that the format knows. */
  readonly names: readonly string[];
  /** A tree of the same kind of document, or of another, whose parts are put in. */
  readonly other?: Tree;
  /** How often a part may be repeated at most. */
  readonly most_repeats?: number;
}

/** Changes the tree in place, mostly once, and at most four times. */
export function mutateTree(tree: Tree, draw: Draw, options: MutateTreeOptions): void {
  for (let steps = draw.chance(0.6) ? 1 : draw.whole(2, 4); steps > 0; steps -= 1) {
    const inner = allOf(tree).filter(({ kind }) => kind !== "leaf");
    if (inner.length === 0) return;
    // Documents have most of their parts far below, and most of what code decides on is near the top.
    const chosen = draw.chance(0.4) ? tree : draw.one(inner);
    if (chosen.kind === "object") changeObject(chosen, draw, options);
    else if (chosen.kind === "array") changeArray(chosen, draw, options);
  }
}

function changeObject(object: Tree & { kind: "object" }, draw: Draw, options: MutateTreeOptions): void {
  const { members } = object;
  const at = draw.whole(0, Math.max(0, members.length - 1));
  const member = members[at];
  const action = member === undefined ? 0 : draw.whole(0, 8);
  if (member === undefined || action === 0) {
    members.push({ key: nameFrom(draw, options), value: oddTree(draw, options) });
  } else if (action <= 3) member.value = oddTree(draw, options);
  else if (action === 4) members.splice(at, 1);
  else if (action === 5) member.key = draw.chance(0.3) ? spelledOtherwise(member.key) : nameFrom(draw, options);
  else if (action === 6) members.push({ key: member.key, value: oddTree(draw, options) });
  else if (action === 7) members.splice(draw.whole(0, members.length), 0, ...members.splice(at, 1));
  else member.value = draw.chance(0.5) ? { kind: "array", items: [member.value] } : nested(draw, member.value);
}

function changeArray(array: Tree & { kind: "array" }, draw: Draw, options: MutateTreeOptions): void {
  const { items } = array;
  const at = draw.whole(0, Math.max(0, items.length - 1));
  const item = items[at];
  const action = item === undefined ? 0 : draw.whole(0, 5);
  if (item === undefined || action === 0) items.splice(at, 0, oddTree(draw, options));
  else if (action === 1) items[at] = oddTree(draw, options);
  else if (action === 2) items.splice(at, 1);
  else if (action === 3) {
    const times = draw.chance(0.9) ? draw.whole(1, 4) : draw.whole(5, options.most_repeats ?? 300);
    items.splice(at, 0, ...Array.from({ length: times }, () => copyOf(item)));
  } else if (action === 4) items.reverse();
  else items[at] = nested(draw, item);
}

function oddTree(draw: Draw, { other }: MutateTreeOptions): Tree {
  if (other !== undefined && draw.chance(0.4)) return copyOf(draw.one(allOf(other)));
  if (draw.chance(0.05)) return { kind: "leaf", text: JSON.stringify("long ".repeat(draw.whole(100, 4000))) };
  if (draw.chance(0.05)) return nested(draw, { kind: "leaf", text: "0" });
  return { kind: "leaf", text: draw.one(ODD_JSON) };
}

/** The tree far below others of its like. */
function nested(draw: Draw, tree: Tree): Tree {
  const depth = draw.chance(0.8) ? draw.whole(1, 6) : draw.whole(50, 3000);
  const [open, close] = draw.chance(0.5) ? ["[", "]"] : ['{"a":', "}"];
  return { kind: "leaf", text: open.repeat(depth) + textOf(tree) + close.repeat(depth) };
}

function nameFrom(draw: Draw, { names }: MutateTreeOptions): string {
  return JSON.stringify(draw.chance(0.7) && names.length > 0 ? draw.one(names) : draw.one(ODD_NAMES));
}

/** The key with its first letter escaped, which is the same key in another spelling. */
function spelledOtherwise(key: string): string {
  const code = key.charCodeAt(1);
  return key.length > 2 && key[1] !== "\\" ? `"\\u${code.toString(16).padStart(4, "0")}${key.slice(2)}` : key;
}

function copyOf(tree: Tree): Tree {
  switch (tree.kind) {
    case "leaf":
      return { kind: "leaf", text: tree.text };
    case "array":
      return { kind: "array", items: tree.items.map(copyOf) };
    case "object":
      return { kind: "object", members: tree.members.map(({ key, value }) => ({ key, value: copyOf(value) })) };
  }
}

/** The tree and all below it. */
function allOf(tree: Tree): Tree[] {
  const found: Tree[] = [tree];
  for (const each of found) {
    if (each.kind === "array") found.push(...each.items);
    else if (each.kind === "object") found.push(...each.members.map(({ value }) => value));
  }
  return found;
}

/** How a part is made odd: another JSON text in its place, or more characters, as JSON has them, at the end of a text. */
export type OddChange = { readonly put: string } | { readonly append: string };

/** Makes the part of this number odd, below the tree itself and around and around; a part that is no text has nothing to append to. */
export function makeOdd(tree: Tree, part: number, change: OddChange): void {
  const places = placesBelow(tree);
  const place = places[part % Math.max(1, places.length)];
  if (place === undefined) return;
  if ("put" in change) return place.set({ kind: "leaf", text: change.put });
  const { value } = place;
  if (value.kind === "leaf" && value.text.startsWith('"')) value.text = `${value.text.slice(0, -1)}${change.append}"`;
}

/** How many parts there are below a tree. */
export function partsOf(tree: Tree): number {
  return placesBelow(tree).length;
}

function placesBelow(tree: Tree): PlaceInTree[] {
  return allOf(tree).flatMap(placesIn);
}

interface PlaceInTree {
  readonly value: Tree;
  set(value: Tree): void;
}

function placesIn(tree: Tree): PlaceInTree[] {
  if (tree.kind === "array")
    return tree.items.map((value, at) => ({ value, set: (other) => void tree.items.splice(at, 1, other) }));
  if (tree.kind !== "object") return [];
  return tree.members.map((member) => ({
    value: member.value,
    set(other) {
      member.value = other;
    },
  }));
}

/** The keys of all objects in the trees. */
export function namesIn(trees: readonly Tree[]): string[] {
  const names = new Set<string>();
  for (const tree of trees.flatMap(allOf))
    if (tree.kind === "object") for (const { key } of tree.members) names.add(JSON.parse(key) as string);
  return [...names];
}
