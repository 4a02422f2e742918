import type { AssistantPart, Message, Opaque } from "../../core/answer/generation.ts";

/** The name of the sealed object: a call or a text. */
export type SealedName =
  | { readonly kind: "call"; readonly id: string }
  /** `digest` is the result of `textDigest`. */
  | { readonly kind: "text"; readonly digest: string };

interface FoundSeal {
  readonly name: SealedName;
  readonly opaque: Opaque;
  readonly place: SealPlace;
}

/** The place of a seal: the index of its message (or of the message that follows it), and how many parts come before it. */
export interface SealPlace {
  readonly message: number;
  readonly part: number;
}

/** A digest that identifies a text; white space that clients trim does not change it. */
export function textDigest(text: string): string {
  return Bun.hash(text.trim()).toString(36);
}

/**
 * The signatures of tool calls and texts that a conversation carries beside them. Each signature goes to the call or
 * text that it names, in whatever order a client returns them (docs/rulings.md 165): first to the one in its own
 * message, else to the last of that name in the conversation. A call or text that has a seal keeps it, and a seal whose
 * call or text is missing is dropped.
 */
export class Seals {
  readonly #found: FoundSeal[] = [];

  add(name: SealedName, opaque: Opaque, place: SealPlace): void {
    this.#found.push({ name, opaque, place });
  }

  /** Gives each seal to its call or text. The parts are changed in place: no other code holds the messages yet. */
  giveTo(messages: readonly Message[]): void {
    if (this.#found.length === 0) return;
    const parts = new SealableParts(messages);
    for (const seal of this.#found.filter((seal) => !parts.sealOwn(seal))) parts.sealElsewhere(seal);
  }
}

/**
 * The indexes of parts with one name in one message, ascending. All parts before the one at `next` have their seals.
 */
interface Namesakes {
  readonly message: number;
  readonly parts: number[];
  next: number;
}

class SealableParts {
  readonly #messages: readonly Message[];
  readonly #in_message = new Map<string, Namesakes>();
  readonly #last = new Map<string, Namesakes>();

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
    for (const [message, { role, content }] of messages.entries()) {
      if (role !== "assistant") continue;
      for (const [part, said] of content.entries()) {
        if (said.type === "tool-call") this.#note(`call ${said.id}`, message, part);
        else if (said.type === "text") this.#note(`text ${textDigest(said.text)}`, message, part);
      }
    }
  }

  /** Whether the seal's own message contains the call or text that the seal names; seals it then. */
  sealOwn({ name, opaque, place }: FoundSeal): boolean {
    const namesakes = this.#in_message.get(`${place.message} ${keyOf(name)}`);
    if (namesakes === undefined) return false;
    const nearest = lastBelow(namesakes.parts, place.part);
    if (nearest === undefined || !this.#seal(place.message, nearest, opaque)) this.#sealNext(namesakes, opaque);
    return true;
  }

  sealElsewhere({ name, opaque }: FoundSeal): void {
    const namesakes = this.#last.get(keyOf(name));
    if (namesakes !== undefined) this.#sealNext(namesakes, opaque);
  }

  #note(key: string, message: number, part: number): void {
    const known = this.#in_message.get(`${message} ${key}`);
    const namesakes = known ?? { message, parts: [], next: 0 };
    namesakes.parts.push(part);
    if (known === undefined) this.#in_message.set(`${message} ${key}`, namesakes);
    this.#last.set(key, namesakes);
  }

  #sealNext(namesakes: Namesakes, opaque: Opaque): void {
    for (; namesakes.next < namesakes.parts.length; namesakes.next++) {
      if (this.#seal(namesakes.message, namesakes.parts[namesakes.next] as number, opaque)) return;
    }
  }

  /** False where the part cannot be sealed, or has its seal already. */
  #seal(message: number, part: number, opaque: Opaque): boolean {
    const found = this.#messages[message];
    if (found?.role !== "assistant") return false;
    const parts = found.content as AssistantPart[];
    const sealed = parts[part];
    if (sealed?.type !== "text" && sealed?.type !== "tool-call") return false;
    if (sealed.opaque !== undefined) return false;
    parts[part] = { ...sealed, opaque };
    return true;
  }
}

function lastBelow(ascending: readonly number[], limit: number): number | undefined {
  let from = 0;
  let to = ascending.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] as number) < limit) from = middle + 1;
    else to = middle;
  }
  return ascending[from - 1];
}

function keyOf(name: SealedName): string {
  return name.kind === "call" ? `call ${name.id}` : `text ${name.digest}`;
}
