import { type Fields, isFields, isFullString, isSame, quote } from "../grammar-values.ts";

/** The place of a streamed text: a part of an item's content or summary, or the item itself. */
interface TextRule {
  readonly holder: "content" | "summary" | "item";
  /** The part's type, or the item's. */
  readonly type: string;
  /** The member of the done event, and of the part or item, that has the whole text. */
  readonly field: string;
}

/** By the event's type without its last word, such as `.delta`. */
const TEXTS: Readonly<Record<string, TextRule>> = {
  "response.output_text": { holder: "content", type: "output_text", field: "text" },
  "response.refusal": { holder: "content", type: "refusal", field: "refusal" },
  "response.reasoning_text": { holder: "content", type: "reasoning_text", field: "text" },
  "response.reasoning_summary_text": { holder: "summary", type: "summary_text", field: "text" },
  "response.function_call_arguments": { holder: "item", type: "function_call", field: "arguments" },
  "response.custom_tool_call_input": { holder: "item", type: "custom_tool_call", field: "input" },
  "response.mcp_call_arguments": { holder: "item", type: "mcp_call", field: "arguments" },
  "response.code_interpreter_call_code": { holder: "item", type: "code_interpreter_call", field: "code" },
};

/** The progress events of hosted tools: the item's type and its events. */
const PROGRESS: Readonly<Record<string, readonly string[]>> = {
  web_search_call: ["in_progress", "searching", "completed"],
  file_search_call: ["in_progress", "searching", "completed"],
  code_interpreter_call: ["in_progress", "interpreting", "completed"],
  image_generation_call: ["in_progress", "generating", "partial_image", "completed"],
  mcp_call: ["in_progress", "completed", "failed"],
  mcp_list_tools: ["in_progress", "completed", "failed"],
  compaction: ["compacting"],
  shell_call_command: ["added", "delta", "done"],
  shell_call_output_content: ["delta", "done"],
};

/** Items whose whole text has its own done event before the item's done event. */
const WITH_TEXT: Readonly<Record<string, string>> = { function_call: "arguments", custom_tool_call: "input" };
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  message: ["status"],
  function_call: ["call_id", "name", "arguments", "status"],
  custom_tool_call: ["call_id", "name", "input"],
};
const FIXED = ["id", "type", "role", "call_id", "name", "namespace"];

interface Text {
  text: string;
  is_done: boolean;
}

interface Part extends Text {
  readonly type: string;
  annotations: number;
  /** The part as its done event has it; null until then. */
  whole: Fields | null;
}

/** One output item, from its added event to its done event. */
export class GrammarItem {
  readonly added: Fields;
  /** The item as its done event has it; null until then. */
  whole: Fields | null = null;
  readonly #content: Part[] = [];
  readonly #summary: Part[] = [];
  #text: Text | null = null;

  constructor(added: Fields) {
    this.added = added;
  }

  /** The fault of an item in an added event; null for a legal item. */
  static checkAdded(item: unknown): string | null {
    if (!isFields(item)) return "'item' is no object";
    if (!isFullString(item.type)) return "'item.type' is no string with something in it";
    if (!isFullString(item.id)) return "'item.id' is no string with something in it";
    if (item.status !== undefined && item.status !== "in_progress")
      return `the status of an item that is added is ${quote(item.status)}`;
    const full = ["content", "summary"].find((name) => Array.isArray(item[name]) && item[name].length > 0);
    if (full !== undefined) return `an item is added with something in its '${full}'`;
    const field = WITH_TEXT[item.type];
    if (field !== undefined && item[field] !== "") return `an item is added with something in its '${field}'`;
    return checkMembers(item);
  }

  /** The fault of an event inside this item; null for a legal event. */
  take(event: Fields): string | null {
    const type = String(event.type);
    if (this.whole !== null) return "an event of an item that is done";
    if (event.item_id !== this.added.id && !type.startsWith("response.shell_"))
      return `'item_id' is ${quote(event.item_id)}; the item's id is ${quote(this.added.id)}`;
    if (type === "response.output_text.annotation.added") return this.#annotate(event);
    const [, name = "", word = ""] = /^response\.(.+)\.([a-z_]+)$/.exec(type) ?? [];
    if (name === "content_part") return this.#takePart(this.#content, event, event.content_index, word);
    if (name === "reasoning_summary_part") return this.#takePart(this.#summary, event, event.summary_index, word);
    const rule = TEXTS[`response.${name}`];
    if (rule !== undefined) return this.#takeText(rule, event, word);
    if (!PROGRESS[name]?.includes(word)) return `an event of the unknown type ${quote(type)}`;
    const is_own = this.added.type === name || name.startsWith(`${String(this.added.type)}_`);
    return is_own ? null : `an event of the type ${quote(type)} inside an item of the type ${quote(this.added.type)}`;
  }

  /** The fault of the item in its done event; null for a legal item. */
  finish(item: unknown): string | null {
    if (this.whole !== null) return "an item is done a second time";
    if (!isFields(item)) return "'item' is no object";
    const changed = FIXED.find((name) => item[name] !== this.added[name]);
    if (changed !== undefined) return `'item.${changed}' changed from ${quote(this.added[changed])}`;
    if (item.status === "in_progress") return "an item that is done is in progress";
    this.whole = item;
    return checkMembers(item) ?? this.#checkParts(item) ?? this.#checkText(item);
  }

  #takePart(parts: Part[], { part }: Fields, index: unknown, word: string): string | null {
    if (!isFields(part)) return "'part' is no object";
    if (word === "added") return this.#addPart(parts, part, index);
    const open = parts.at(-1);
    if (word !== "done" || open === undefined || index !== parts.length - 1 || open.whole !== null)
      return `part ${quote(index)} is done, which is not open`;
    open.whole = part;
    if (part.type !== open.type) return `a part's type changed to ${quote(part.type)}`;
    if (!open.is_done) return "a part is done before its text is";
    const field = part.type === "refusal" ? "refusal" : "text";
    if (part[field] !== open.text) return `a part's '${field}' is not the text that came`;
    const { annotations } = part;
    return Array.isArray(annotations) && annotations.length !== open.annotations
      ? "a part has other annotations than were added"
      : null;
  }

  #addPart(parts: Part[], part: Fields, index: unknown): string | null {
    const open = parts.at(-1);
    if (open !== undefined && open.whole === null) return "a part is added before the one before it is done";
    if (index !== parts.length) return `a part is added at ${quote(index)}; expected ${parts.length}`;
    const rule = Object.values(TEXTS).find((one) => one.holder !== "item" && one.type === part.type);
    const holder = parts === this.#summary ? "summary" : "content";
    if (rule?.holder !== holder) return `a part of the type ${quote(part.type)} is added to the ${holder}`;
    const item_type = rule.type === "output_text" || rule.type === "refusal" ? "message" : "reasoning";
    if (this.added.type !== item_type) return `such a part is added to an item of the type ${quote(this.added.type)}`;
    if (part[rule.field] !== "") return "a part is added with text in it";
    if (rule.type === "output_text" && !Array.isArray(part.annotations)) return "a text part has no annotations";
    parts.push({ type: rule.type, text: "", is_done: false, annotations: 0, whole: null });
    return null;
  }

  #takeText(rule: TextRule, event: Fields, word: string): string | null {
    const text = this.#textFor(rule, event);
    if (typeof text === "string") return text;
    if (text.is_done) return "a text goes on after its end";
    if (word === "delta") {
      if (typeof event.delta !== "string") return "'delta' is no string";
      text.text += event.delta;
      return null;
    }
    if (word !== "done") return `an event of the unknown type ${quote(event.type)}`;
    text.is_done = true;
    return event[rule.field] === text.text ? null : `'${rule.field}' is not what the deltas come to`;
  }

  /** The text that an event belongs to, or the problem with its place. */
  #textFor({ holder, type }: TextRule, event: Fields): Text | string {
    if (holder === "item") {
      if (this.added.type !== type) return `such an event inside an item of the type ${quote(this.added.type)}`;
      this.#text ??= { text: "", is_done: false };
      return this.#text;
    }
    const parts = holder === "summary" ? this.#summary : this.#content;
    const index = holder === "summary" ? event.summary_index : event.content_index;
    const part = parts.at(-1);
    if (part === undefined || index !== parts.length - 1 || part.whole !== null)
      return `part ${quote(index)} of the ${holder} is not open`;
    return part.type === type ? part : `such an event in a part of the type ${quote(part.type)}`;
  }

  #annotate({ content_index, annotation_index }: Fields): string | null {
    const part = this.#textFor({ holder: "content", type: "output_text", field: "text" }, { content_index });
    if (typeof part === "string") return part;
    const at = (part as Part).annotations++;
    return annotation_index === at ? null : `an annotation is added at ${quote(annotation_index)}; expected ${at}`;
  }

  #checkParts(item: Fields): string | null {
    for (const [name, parts] of [["content", this.#content] as const, ["summary", this.#summary] as const]) {
      if (parts.some(({ whole }) => whole === null)) return `the item is done before its ${name} is`;
      const shown = item[name] ?? [];
      if (
        !isSame(
          shown,
          parts.map(({ whole }) => whole),
        )
      )
        return `the item's '${name}' is not what its parts were`;
    }
    return null;
  }

  #checkText(item: Fields): string | null {
    const field = WITH_TEXT[String(item.type)];
    if (this.#text === null) return field === undefined ? null : `the item is done before its '${field}' is`;
    if (!this.#text.is_done) return "the item is done before its text is";
    return field === undefined || item[field] === this.#text.text ? null : `'item.${field}' is not the text that came`;
  }
}

function checkMembers(item: Fields): string | null {
  const type = String(item.type);
  const missing = STRINGS[type]?.find((name) => typeof item[name] !== "string");
  if (missing !== undefined) return `'item.${missing}' is no string`;
  if (type === "message" && item.role !== "assistant") return `'item.role' is ${quote(item.role)}`;
  if (type === "message" && !Array.isArray(item.content)) return "'item.content' is no array";
  return type === "reasoning" && !Array.isArray(item.summary) ? "'item.summary' is no array" : null;
}
