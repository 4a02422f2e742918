import type { ContentMask } from "../../core/catalog/content-settings.ts";

/** What contents are masked of before they are encrypted (docs/rulings.md 184). */

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;
/** 13 to 19 digits, in groups or not: the last digit tells whether they are a card's number. */
const DIGITS = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d])/g;
const PHONE =
  /(?<![\w.+/-])(?:\+\d{1,3}[ .-]?|\(?0)\(?\d{1,5}\)?(?:[ ./-]?\d{2,5}){2,5}(?![\w-])|(?<![\w.+/-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])/g;
/** As many digits as a card's number has, anywhere in a text. */
const MANY_DIGITS = /\d(?:[ -]?\d){12}/;
/** A text that is the bytes of a file, not words. */
const BYTES = /^(?:data:[^,]{0,200};base64,)?[A-Za-z0-9+/_=-]{1024,}$/;

/** Masks texts. Strings of JSON are masked one by one, so that no escape hides what stands there, and the JSON stays JSON. */
export class ContentMasker {
  readonly #masks: readonly ((text: string) => string)[];
  readonly #kinds: readonly ContentMask["kind"][];

  constructor(masks: readonly ContentMask[]) {
    this.#masks = masks.map(maskBy);
    this.#kinds = masks.map(({ kind }) => kind);
  }

  get isNeeded(): boolean {
    return this.#masks.length > 0;
  }

  /** The text with what is masked replaced by the mask's name. */
  text(text: string): string {
    if (!this.#mayFind(text)) return text;
    const parsed = asJson(text);
    return parsed === undefined ? this.#plain(text) : JSON.stringify(this.#value(parsed));
  }

  /** False where no mask finds anything in the text, read as JSON or not. Most texts end here, at a tenth of the cost of reading them. */
  #mayFind(text: string): boolean {
    // An escape may hide any character.
    if (text.includes("\\u")) return this.isNeeded;
    return this.#kinds.some((kind) => {
      if (kind === "email") return text.includes("@");
      return kind !== "card" || MANY_DIGITS.test(text);
    });
  }

  #value(value: unknown): unknown {
    if (typeof value === "string") return this.#plain(value);
    if (Array.isArray(value)) return value.map((each) => this.#value(each));
    if (typeof value !== "object" || value === null) return value;
    const masked = Object.create(null) as Record<string, unknown>;
    for (const [name, member] of Object.entries(value)) masked[this.#plain(name)] = this.#value(member);
    return masked;
  }

  #plain(text: string): string {
    if (BYTES.test(text)) return text;
    let masked = text;
    for (const mask of this.#masks) masked = mask(masked);
    return masked;
  }
}

function maskBy(mask: ContentMask): (text: string) => string {
  switch (mask.kind) {
    case "email":
      return (text) => (text.includes("@") ? text.replace(EMAIL, "[email]") : text);
    case "card":
      return (text) => text.replace(DIGITS, (found) => (isCard(found) ? "[card]" : found));
    case "phone":
      return (text) => text.replace(PHONE, "[phone]");
    case "regex":
      return (text) => text.replace(mask.pattern, "[masked]");
  }
}

/** By the check digit that all cards have (Luhn). */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const counted = at % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

function asJson(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
