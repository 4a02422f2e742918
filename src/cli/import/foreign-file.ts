import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { NumberText } from "../../catalog/reading/json-source.ts";
import { CliFailure } from "../shared/failure.ts";

/**
 * Another gateway's file, YAML or JSON, with a memory of the parts that were read: the rest is named in the end, line by line, so that
 * nothing is dropped in silence.
 */
export class ForeignFile {
  readonly root: ForeignPart;
  readonly #lines: LineCounter;

  constructor(text: string, name: string) {
    this.#lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: true, uniqueKeys: false });
    const [mistake] = document.errors;
    if (mistake !== undefined) {
      const message = `${name} is neither YAML nor JSON: ${mistake.message}`;
      throw new CliFailure(message, { code: "unreadable_source", cause: mistake });
    }
    this.root = new ForeignPart(this, "", document.contents);
  }

  lineOf(node: Node | null): number {
    const offset = node?.range?.[0];
    return offset === undefined ? 1 : this.#lines.linePos(offset).line;
  }
}

/** A value in the file, and where it stands. */
export class ForeignPart {
  readonly path: string;
  readonly #file: ForeignFile;
  readonly #node: Node | null;
  /** Its members, made when they are first asked for. */
  #members: Map<string, ForeignPart> | null = null;
  #read = false;

  constructor(file: ForeignFile, path: string, node: Node | null) {
    this.#file = file;
    this.path = path;
    this.#node = node;
  }

  get line(): number {
    return this.#file.lineOf(this.#node);
  }

  /** Members of a map by key, elements of a list by number. Asking for them reads none of them. */
  get members(): ReadonlyMap<string, ForeignPart> {
    this.#members ??= new Map(this.#children());
    return this.#members;
  }

  get is_map(): boolean {
    return isMap(this.#node);
  }

  /** The elements of a list, in their order; none where it is no list. */
  get elements(): ForeignPart[] {
    return isSeq(this.#node) ? [...this.members.values()] : [];
  }

  get(key: string): ForeignPart | null {
    return this.members.get(key) ?? null;
  }

  /** Reads a scalar as it is written, and marks it as read; null where the value is no scalar, or empty. */
  text(): string | null {
    if (!isScalar(this.#node)) return null;
    const { value, source } = this.#node;
    const text = typeof value === "string" ? value : (source ?? String(value ?? ""));
    if (value === null || text === "") return null;
    this.#read = true;
    return text;
  }

  /** A number as it is written, for prices, which are never floats. */
  number(): NumberText | null {
    const text = isScalar(this.#node) && typeof this.#node.value === "number" ? this.text() : null;
    return text === null ? null : new NumberText(text);
  }

  /** The texts of a list, or of the one scalar; marked as read. */
  texts(): string[] {
    const parts = isSeq(this.#node) ? this.elements : [this];
    return parts.flatMap((part) => part.text() ?? []);
  }

  /** Marks the whole part as read: its reader reports by itself what it does with it. */
  read(): void {
    this.#read = true;
  }

  /** The places that were not read: the largest parts of the file in which no value was read. */
  rest(): ForeignPart[] {
    if (this.#read) return [];
    const inside = [...this.members.values()];
    if (!inside.some((part) => part.isTouched())) return [this];
    return inside.flatMap((part) => part.rest());
  }

  isTouched(): boolean {
    return this.#read || (this.#members !== null && [...this.#members.values()].some((part) => part.isTouched()));
  }

  #children(): [string, ForeignPart][] {
    const node = this.#node;
    if (isMap(node)) {
      return node.items.map((pair) => {
        const key = isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
        const inside = pair.value === null ? (pair.key as Node) : (pair.value as Node);
        return [key, new ForeignPart(this.#file, this.path === "" ? key : `${this.path}.${key}`, inside)];
      });
    }
    if (!isSeq(node)) return [];
    return node.items.map((item, at) => [String(at), new ForeignPart(this.#file, `${this.path}[${at}]`, item as Node)]);
  }
}

/** Throws where a file is something else than it should be. */
export function requireList(parts: readonly ForeignPart[], what: string): void {
  if (parts.length === 0) throw new CliFailure(`The file has no ${what}.`, { code: "unreadable_source" });
}
