import { REQUEST_BOUNDS } from "../../core/answer/request-bounds.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { isExactNumber, parseExact } from "../shared/exact-json.ts";

type Expected = "start" | "first-key" | "key" | "colon" | "value" | "first-item" | "next" | "end";
type NumberPart = "sign" | "zero" | "digits" | "dot" | "fraction" | "e" | "e-sign" | "exponent";
/** A token that has begun: a string with its open escape, a number by its part, a word by what is left of it. */
type JsonToken =
  | { readonly kind: "string"; readonly is_key: boolean; open_escape: string | null }
  | { readonly kind: "number"; part: NumberPart }
  | { readonly kind: "word"; rest: string };

const WORDS: ReadonlyMap<string, string> = new Map([
  ["t", "rue"],
  ["f", "alse"],
  ["n", "ull"],
]);
const WHOLE_NUMBERS: ReadonlySet<NumberPart> = new Set(["zero", "digits", "fraction", "exponent"]);
const DIGIT = /^\d$/;
const HEX = /^[\da-fA-F]$/;
const ESCAPED = '"\\/bfnrt';
/** Length of `u` and four digits. */
const UNICODE_LENGTH = 5;

/**
 * The text of a call's arguments on its way to a client of messages, whose SDKs parse it while it comes, and throw on what
 * is no JSON. The beginning of an object is passed on as it comes. Where the text turns out to be none, what was passed on is
 * closed, and all of the text follows in the member in which whole answers have it. Each character is looked at once.
 */
export class ObjectText {
  #text = "";
  /** The open objects and lists; the root stays, as its last brace is written by `end`. */
  readonly #open: ("{" | "[")[] = [];
  #expected: Expected = "start";
  #token: JsonToken | null = null;
  #is_empty = true;
  #is_broken = false;

  /** Whether the text so far is no beginning of an object, nor a whole one. */
  get is_broken(): boolean {
    return this.#is_broken;
  }

  /** Whether more than blanks has come. */
  get has_begun(): boolean {
    return this.#expected !== "start" || this.#is_broken;
  }

  /** Whether the root's last brace has come. */
  get is_closed(): boolean {
    return this.#expected === "end";
  }

  /** Whether the text is the beginning of an object, and no more. */
  get is_half(): boolean {
    return this.#open.length > 0 && !this.is_closed && !this.#is_broken;
  }

  /**
   * The part of a piece that is passed on: all but the root's last brace and what follows, what is no JSON, and blanks before the
   * object, which are no JSON to an SDK as long as nothing follows.
   */
  push(piece: string): string {
    this.#text += piece;
    let start = 0;
    let end = 0;
    for (let at = 0; at < piece.length && !this.#is_broken; at++) {
      const char = piece.charAt(at);
      if (this.is_closed) this.#is_broken = !isBlank(char);
      else if (!this.#take(char)) this.#is_broken = true;
      else if (this.#expected === "start") start = at + 1;
      else if (!this.is_closed) end = at + 1;
    }
    return piece.slice(start, Math.max(start, end));
  }

  /** What closes the object; nothing where there are no arguments at all. */
  end(): string {
    if (this.#text.trim() === "") return "";
    if (this.is_closed && !this.#is_broken) return "}";
    const rest = `${JSON.stringify(INVALID)}:${JSON.stringify(this.#text)}}`;
    return this.#open.length === 0 ? `{${rest}` : this.#closing() + rest;
  }

  #take(char: string): boolean {
    const token = this.#token;
    if (token?.kind === "string") return this.#takeInString(token, char);
    if (token?.kind === "word") return this.#takeInWord(token, char);
    if (token?.kind === "number") {
      const part = nextPart(token.part, char);
      if (part !== null) token.part = part;
      if (part !== null || !WHOLE_NUMBERS.has(token.part)) return part !== null;
      this.#endValue();
    }
    return isBlank(char) || this.#takeSign(char);
  }

  #takeSign(char: string): boolean {
    switch (this.#expected) {
      case "start":
        return char === "{" && this.#begin("{");
      case "first-key":
        return char === "}" ? this.#close() : this.#beginKey(char);
      case "key":
        return this.#beginKey(char);
      case "colon":
        if (char === ":") this.#expected = "value";
        return char === ":";
      case "first-item":
        return char === "]" ? this.#close() : this.#beginValue(char);
      case "value":
        return this.#beginValue(char);
      case "next":
        return this.#goOn(char);
      case "end":
        return false;
    }
  }

  #goOn(char: string): boolean {
    const in_object = this.#open.at(-1) === "{";
    if (char === (in_object ? "}" : "]")) return this.#close();
    if (char === ",") this.#expected = in_object ? "key" : "value";
    return char === ",";
  }

  #begin(sign: "{" | "["): boolean {
    this.#open.push(sign);
    this.#expected = sign === "{" ? "first-key" : "first-item";
    return this.#open.length <= REQUEST_BOUNDS.levels;
  }

  #close(): boolean {
    if (this.#open.length === 1) this.#expected = "end";
    else {
      this.#open.pop();
      this.#expected = "next";
    }
    return true;
  }

  #beginKey(char: string): boolean {
    if (char !== '"') return false;
    this.#is_empty = false;
    this.#token = { kind: "string", is_key: true, open_escape: null };
    return true;
  }

  #beginValue(char: string): boolean {
    if (char === "{" || char === "[") return this.#begin(char);
    const word = WORDS.get(char);
    if (char === '"') this.#token = { kind: "string", is_key: false, open_escape: null };
    else if (char === "-") this.#token = { kind: "number", part: "sign" };
    else if (DIGIT.test(char)) this.#token = { kind: "number", part: char === "0" ? "zero" : "digits" };
    else if (word !== undefined) this.#token = { kind: "word", rest: word };
    else return false;
    return true;
  }

  #endValue(): void {
    this.#token = null;
    this.#expected = "next";
  }

  #takeInWord(token: Extract<JsonToken, { kind: "word" }>, char: string): boolean {
    if (!token.rest.startsWith(char)) return false;
    token.rest = token.rest.slice(1);
    if (token.rest === "") this.#endValue();
    return true;
  }

  #takeInString(token: Extract<JsonToken, { kind: "string" }>, char: string): boolean {
    const { open_escape } = token;
    if (open_escape === "") {
      token.open_escape = char === "u" ? char : null;
      if (char !== "u" && !ESCAPED.includes(char)) token.open_escape = "";
      return token.open_escape !== "";
    }
    if (open_escape !== null) {
      if (!HEX.test(char)) return false;
      token.open_escape = open_escape.length + 1 === UNICODE_LENGTH ? null : open_escape + char;
      return true;
    }
    if (char === "\\") token.open_escape = "";
    else if (char === '"') {
      this.#endValue();
      if (token.is_key) this.#expected = "colon";
    }
    return char >= " ";
  }

  /** What closes the open token and all that is open within the root, up to where another member may follow. */
  #closing(): string {
    const depth = this.#open.length;
    const awaits_key = this.#token === null && this.#expected === "key";
    let text = this.#token === null ? missingValue(this.#expected, depth) : closingOf(this.#token);
    for (const sign of this.#open.slice(1).reverse()) text += sign === "{" ? "}" : "]";
    return this.#is_empty || (awaits_key && depth === 1) ? text : `${text},`;
  }
}

/** The arguments of a call as a client of a whole answer gets them: what a stream would have built. */
export function objectIn(args: string): JsonRecord {
  const text = new ObjectText();
  return inputOf(text.push(args) + text.end());
}

function missingValue(expected: Expected, depth: number): string {
  if (expected === "colon") return ":null";
  if (expected === "value") return "null";
  return expected === "key" && depth > 1 ? '"":null' : "";
}

function closingOf(token: JsonToken): string {
  if (token.kind === "word") return token.rest;
  if (token.kind === "number") return WHOLE_NUMBERS.has(token.part) ? "" : "0";
  const { open_escape, is_key } = token;
  const escaped =
    open_escape === null ? "" : open_escape === "" ? "\\" : "0".repeat(UNICODE_LENGTH - open_escape.length);
  return `${escaped}"${is_key ? ":null" : ""}`;
}

function nextPart(part: NumberPart, char: string): NumberPart | null {
  const is_digit = DIGIT.test(char);
  switch (part) {
    case "sign":
      return is_digit ? (char === "0" ? "zero" : "digits") : null;
    case "zero":
    case "digits":
      if (is_digit) return part === "digits" ? part : null;
      return char === "." ? "dot" : isE(char) ? "e" : null;
    case "dot":
    case "fraction":
      if (is_digit) return "fraction";
      return part === "fraction" && isE(char) ? "e" : null;
    case "e":
      if (char === "+" || char === "-") return "e-sign";
      return is_digit ? "exponent" : null;
    case "e-sign":
    case "exponent":
      return is_digit ? "exponent" : null;
  }
}

function isE(char: string): boolean {
  return char === "e" || char === "E";
}

function isBlank(char: string): boolean {
  return char === " " || char === "\n" || char === "\r" || char === "\t";
}

/** The member in which public clients of this protocol give back arguments that are no JSON object. */
const INVALID = "INVALID_JSON";

/**
 * A call's arguments as an object, as this protocol requires. Models write nothing for a tool without parameters, and
 * now and then text that is no object, or only the beginning of one: such text is kept under a fixed member.
 */
export function inputOf(args: string): JsonRecord {
  if (args.trim() === "") return {};
  try {
    const input = parseExact(args);
    if (isObject(input) && !isExactNumber(input)) return input;
  } catch {
    // Text that is not valid JSON is passed on too.
  }
  return { [INVALID]: args };
}

/**
 * The arguments as text, from the object of `inputOf`, or from that of a stream, which has the beginning of the text as members as
 * well.
 */
export function argumentsOf(input: JsonRecord): string {
  const invalid = input[INVALID];
  if (typeof invalid !== "string") return JSON.stringify(input);
  return Object.keys(input).length === 1 || Object.hasOwn(inputOf(invalid), INVALID) ? invalid : JSON.stringify(input);
}
