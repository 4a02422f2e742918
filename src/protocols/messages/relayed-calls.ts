import { isObject, type JsonRecord, plainText } from "../../core/json.ts";
import { GivenCallIds, LEGAL_CALL_IDS, needOtherIds } from "../shared/call-ids.ts";
import {
  findItems,
  findMembers,
  type MemberChange,
  mapItems,
  memberText,
  replaceMembers,
} from "../shared/json-members.ts";

/**
 * The JSON text of `messages` as Anthropic takes calls and results (docs/rulings.md 191), or null where nothing has to
 * change, which is nearly always: results come before all else that the user says after the calls, and ids are legal
 * and all different. A client that comes from another vendor's model has that vendor's ids in its history.
 */
export function relayedCalls(turns: readonly JsonRecord[], text: string): string | null {
  if (!needOtherIds(callIdsOf(turns), LEGAL_CALL_IDS.messages) && !isParted(turns)) return null;
  const mending = new Mending();
  for (const [index, { start, end }] of findItems(text, 0).entries())
    mending.take(turns[index] ?? {}, text.slice(start, end));
  return `[${mending.end().join(",")}]`;
}

function blocksOf({ content }: JsonRecord): readonly JsonRecord[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function* callIdsOf(turns: readonly JsonRecord[]): Iterable<string> {
  for (const turn of turns) {
    if (turn.role !== "assistant") continue;
    for (const { type, id } of blocksOf(turn)) if (type === "tool_use") yield plainText(id);
  }
}

/** Whether a result follows other content of the user, in its turn or in the user's turns before it. */
function isParted(turns: readonly JsonRecord[]): boolean {
  let said = false;
  for (const turn of turns) {
    if (turn.role === "assistant") said = false;
    if (turn.role !== "user") continue;
    for (const block of blocksOf(turn)) {
      if (!isResult(block)) said = true;
      else if (said) return true;
    }
    // Results are looked for in the turn right behind the calls.
    said = true;
  }
  return false;
}

function isResult({ type }: JsonRecord): boolean {
  return type === "tool_result";
}

class Mending {
  readonly #ids = new GivenCallIds(LEGAL_CALL_IDS.messages);
  readonly #turns: string[] = [];
  /** The turns of the user and of the system since the last answer. */
  #said: { readonly turn: JsonRecord; readonly text: string }[] = [];

  take(turn: JsonRecord, text: string): void {
    if (turn.role !== "assistant") {
      this.#said.push({ turn, text: withIds(turn, text, (block) => this.#answered(block)) });
      return;
    }
    this.#flush();
    this.#ids.nextTurn();
    this.#turns.push(withIds(turn, text, (block) => this.#named(block)));
  }

  end(): readonly string[] {
    this.#flush();
    return this.#turns;
  }

  /** The turns as they are, or the user's as one turn whose results come first. */
  #flush(): void {
    const said = this.#said;
    this.#said = [];
    const is_parted = isParted(said.map(({ turn }) => turn));
    if (is_parted) this.#turns.push(asOneTurn(said.filter(({ turn }) => turn.role === "user")));
    for (const { turn, text } of said) if (!is_parted || turn.role !== "user") this.#turns.push(text);
  }

  #named({ type, id }: JsonRecord): MemberChange | null {
    if (type !== "tool_use") return null;
    const sent = plainText(id);
    const given = this.#ids.ofCall(sent);
    return given === sent ? null : ["id", JSON.stringify(given)];
  }

  #answered({ type, tool_use_id }: JsonRecord): MemberChange | null {
    if (type !== "tool_result") return null;
    const sent = plainText(tool_use_id);
    const given = this.#ids.ofResult(sent) ?? sent;
    return given === sent ? null : ["tool_use_id", JSON.stringify(given)];
  }
}

function asOneTurn(said: readonly { readonly turn: JsonRecord; readonly text: string }[]): string {
  const results: string[] = [];
  const others: string[] = [];
  for (const { turn, text } of said) {
    const content = memberText(text, findMembers(text), "content") ?? "[]";
    if (typeof turn.content === "string") {
      if (turn.content.trim() !== "") others.push(`{"type":"text","text":${content}}`);
      continue;
    }
    const blocks = blocksOf(turn);
    for (const [at, { start, end }] of findItems(content, 0).entries())
      (isResult(blocks[at] ?? {}) ? results : others).push(content.slice(start, end));
  }
  return `{"role":"user","content":[${[...results, ...others].join(",")}]}`;
}

/** The text of a turn with the ids that `change` gives to its calls and results. */
function withIds(turn: JsonRecord, text: string, change: (block: JsonRecord) => MemberChange | null): string {
  const blocks = blocksOf(turn);
  if (!blocks.some(({ type }) => type === "tool_use" || type === "tool_result")) return text;
  const sent = memberText(text, findMembers(text), "content") ?? "[]";
  const changed = mapItems(sent, (item, index) => {
    const id = change(blocks[index] ?? {});
    return id === null ? item : replaceMembers(item, [id]);
  });
  return changed === sent ? text : replaceMembers(text, [["content", changed]]);
}
