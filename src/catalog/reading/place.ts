import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Pair,
  parseDocument,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import type { Environment } from "../../core/environment.ts";
import { isObject } from "../../core/json.ts";
import type { Problem } from "./problem.ts";

/** A document that is being read, and the problems found in it so far. */
export interface YamlSource {
  readonly file: string;
  readonly env: Environment;
  readonly problems: Problem[];
  /** Set for an element of the database, which may neither hold a credential nor read the environment (docs/adr/0042). */
  readonly layer?: "console";
  /** The line of an offset in the text, from 1. */
  lineOf(offset: number): number;
  /** The node that a YAML alias (`*name`) stands for. */
  resolve(node: Node): Node | null;
}

/** A position in a document: a value, and the path to it. */
export interface YamlPlace {
  readonly source: YamlSource;
  readonly path: string;
  readonly line: number;
  readonly node: Node | null;
}

/** The name of a vendor or a model, and where it was named. */
export interface NamedAt {
  readonly name: string;
  readonly place: YamlPlace;
}

/**
 * Opens a YAML document. Every scalar stays the text that was written (YAML's failsafe schema), so that no price ever
 * passes through a float. Syntax errors are problems of the source; the place is null when nothing can be read.
 */
export function openDocument(
  text: string,
  file: string,
  env: Environment,
): { source: YamlSource; root: YamlPlace | null } {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: "failsafe",
    lineCounter: lines,
    prettyErrors: false,
    // Repeated keys are reported by `readEntries`, with both lines and the path.
    uniqueKeys: false,
  });
  const source: YamlSource = {
    file,
    env,
    problems: [],
    lineOf: (offset) => lines.linePos(offset).line,
    resolve: (node) => (isAlias(node) ? (node.resolve(document) ?? null) : node),
  };
  // One mistake makes the reader stumble again and again behind it: the first says where it is.
  for (const { message, pos } of document.errors.slice(0, 1)) {
    const [sentence = message] = message.split("\n");
    const found = `a text that is not YAML: ${sentence.replace(/ at line .*$/, "")}`;
    source.problems.push({ file, line: source.lineOf(pos[0]), path: "", found, allowed: "valid YAML" });
  }
  if (document.errors.length > 0) return { source, root: null };
  return { source, root: { source, path: "", line: 1, node: document.contents } };
}

/** The YAML node of a value, as the readers expect it: every scalar becomes text. */
export function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) {
    const list = new YAMLSeq<Node>();
    list.items = value.map(nodeOf);
    return list;
  }
  if (isObject(value)) {
    const map = new YAMLMap<Node, Node>();
    map.items = Object.entries(value).map(([key, inside]) => new Pair<Node, Node>(new Scalar(key), nodeOf(inside)));
    return map;
  }
  return new Scalar(String(value));
}

/** The place of a member or an element of a place. A member's line is that of its key. */
export function placeInside(parent: YamlPlace, segment: string, node: Node | null, key: Node | null): YamlPlace {
  const { source } = parent;
  const offset = (key ?? node)?.range?.[0];
  const line = offset === undefined ? parent.line : source.lineOf(offset);
  const joint = parent.path === "" || segment.startsWith("[") ? "" : ".";
  return { source, path: `${parent.path}${joint}${segment}`, line, node: node === null ? null : source.resolve(node) };
}

/** Whether nothing is written there: an empty value, `~` or `null`. */
export function isEmpty(node: Node | null): boolean {
  if (node === null) return true;
  return isScalar(node) && node.type === "PLAIN" && /^(~|null|Null|NULL)?$/.test(String(node.value));
}

/** Reports a problem at a place, once. `found` defaults to a description of the value there. */
export function report(place: YamlPlace, allowed: string, found = describePlace(place)): null {
  const { source, line, path } = place;
  const problem: Problem = { file: source.file, line, path, found, allowed };
  if (!source.problems.some((known) => Bun.deepEquals(known, problem))) source.problems.push(problem);
  return null;
}

const MAX_SHOWN = 60;
/** The paths of values that no message shows. */
export const SECRET =
  /(^|\.)(api_key|api_keys\[\d+\]\.key|client_secret|operations\.token|cells\.[^.]+\.url|mail\.smtp|(alerts|usage_events)\.to\[\d+\]|headers\.[^.]+)$/;

/** Describes the value of a place as it is written; environment variables appear by name, credentials not at all. */
function describePlace({ node, path }: YamlPlace): string {
  if (isEmpty(node)) return "nothing";
  if (isMap(node)) return "a map";
  if (isSeq(node)) return "a list";
  if (SECRET.test(path)) return "a value that is not shown";
  const text = isScalar(node) ? String(node.value) : "";
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
