import { newId } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { eventData } from "../shared/event-frames.ts";
import { emptyResponse } from "./empty-response.ts";
import { EventNumbers, type Frame } from "./event-numbers.ts";
import { KnownItems, kindOfEvent, nameOf, stringOf, typeOf } from "./item-names.ts";
import { contentOf } from "./match-output.ts";
import { newItemId } from "./output-items.ts";
import { filled, filledItem, filledPart, ITEM_MEMBERS, isClientCall, RESPONSE_MEMBERS } from "./read-members.ts";
import { ShownItem, type ShownPart } from "./shown-item.ts";
import { kindOf, TEXT_FIELDS, type TextField } from "./text-fields.ts";

type PartHolder = "content" | "summary";

const PARTS = /^response\.(content|reasoning_summary)_part\.(added|done)$/;
/** An id beyond ASCII is read with the whole event. */
const CREATED = /"response" *: *\{ *"id" *: *"([!#-[\]-~]+)"/;
const OUTPUT = Buffer.from('"output":[]');

/**
 * Makes of a vendor's events what clients read (docs/rulings.md 201, 202): items are known by their names, what is told
 * twice is passed on once, and members, parts and items that were left out are filled in. An event that is right passes as
 * it came.
 */
export class StreamMender {
  readonly items: ShownItem[] = [];
  readonly known = new KnownItems<ShownItem>();
  readonly events = new EventNumbers();
  /** The id of the response in the events so far; null before the first. */
  response_id: string | null = null;
  readonly #model_id: string;
  readonly #toldOf: (index: number) => string;
  readonly #run = new RunOfDeltas();
  readonly #ids = new Set<string>();

  /** `toldOf` gathers the text so far of the item at an index. */
  constructor(model_id: string, toldOf: (index: number) => string) {
    this.#model_id = model_id;
    this.#toldOf = toldOf;
  }

  /** Whether a delta is right as it came: the hot path, on which nothing is parsed. */
  isRight(name: string, frame: Buffer): boolean {
    if (this.events.is_shifted || !this.#run.has(name, frame)) return false;
    this.events.passed();
    return true;
  }

  /** The frames that the client gets for an event, other than the last one. */
  mend(name: string, frame: Buffer): readonly Frame[] {
    if (this.#run.isCopy(frame)) return [];
    this.#run.end();
    const data = eventData(frame);
    // Data that is no object is no event: official SDKs throw on it.
    if (data === null) return [];
    const id = name === "response.created" && this.response_id === null ? rightCreated(frame) : null;
    if (id !== null) {
      this.response_id = id;
      return this.events.asItCame(name, frame);
    }
    this.events.begin(name, frame, data);
    this.#take(name, data);
    const frames = this.events.taken();
    if (name.endsWith(".delta") && frames.length === 1 && frames[0]?.bytes === frame) this.#run.begin(name, frame);
    return frames;
  }

  /** Tells an item that no event has told, from its added event to its done event; returns the item as it was told. */
  tellWhole(told: JsonRecord, data: JsonRecord): JsonRecord {
    const item = this.#announce(data, { ...told, status: "in_progress", ...emptyContent(told) });
    const field = TEXT_FIELDS.get(`response.${item.names.kind}_${isClientCall(told.type) ? callMember(told) : ""}`);
    const text = field === undefined ? "" : stringOf(told[field.field]);
    if (field !== undefined && text !== "") {
      const kind = `response.${item.names.kind}_${field.field}`;
      this.events.add(`${kind}.delta`, { ...placeOf(item), delta: text });
      this.events.add(`${kind}.done`, { ...placeOf(item), [field.field]: text });
    }
    return this.endItem(item, told, false);
  }

  /** Ends an item with what is whole of it; `is_own` for the event that came, whose frame passes if it is right. */
  endItem(item: ShownItem, told: JsonRecord, is_own: boolean): JsonRecord {
    const whole = filledItem(told, item);
    this.#tellParts(item, whole);
    item.names.is_done = true;
    const patch = { output_index: item.index, item: whole };
    if (is_own) this.events.change(patch);
    else this.events.add("response.output_item.done", patch);
    return whole;
  }

  /** The response object of an event, with the id that the client knows. */
  response(told: unknown): JsonRecord {
    const response = filled(isObject(told) ? told : {}, { ...RESPONSE_MEMBERS, id: "", model: this.#model_id });
    this.response_id ??= nameOf(response.id) ?? newId("resp");
    return response.id === this.response_id ? response : { ...response, id: this.response_id };
  }

  /** A response before its end: its items are told by events of their own, and openai-python reads those in its output twice. */
  #responseSoFar(told: unknown): JsonRecord {
    const response = this.response(told);
    return isEmptyList(response.output) ? response : { ...response, output: [] };
  }

  /** Tells that there is a response, where its vendor begins with something else. */
  create(told?: unknown): void {
    if (this.response_id !== null) return;
    const response = this.response({ ...emptyResponse(this.#model_id), ...(isObject(told) ? told : {}) });
    this.events.add("response.created", { response: { ...response, status: "in_progress", output: [], usage: null } });
  }

  #take(name: string, data: JsonRecord): void {
    switch (name) {
      case "response.created":
        if (this.response_id === null) this.events.change({ response: this.#responseSoFar(data.response) });
        return;
      case "response.in_progress":
      case "response.queued":
        this.create(data.response);
        return this.events.change({ response: this.#responseSoFar(data.response) });
    }
    this.create();
    if (name === "response.output_item.added") return this.#takeAdded(data);
    if (name === "response.output_item.done") return this.#takeDone(data);
    if (PARTS.test(name)) return this.#takePart(name, data);
    const field = /\.(delta|done)$/.test(name) ? TEXT_FIELDS.get(kindOf(name)) : undefined;
    if (field !== undefined) return this.#takeText(name, data, field);
    this.#takeProgress(name, data);
  }

  #takeAdded(data: JsonRecord): void {
    if (!isObject(data.item) || typeOf(data.item) === "") return;
    const item = this.known.ofAdded(data, data.item);
    if (item === undefined) this.#announce(data, data.item, true);
    else this.known.learn(item, data, data.item);
    if (item !== undefined) item.names.is_added = true;
  }

  #takeDone(data: JsonRecord): void {
    if (!isObject(data.item) || typeOf(data.item) === "") return;
    const item = this.known.ofDone(data, data.item);
    if (item?.names.is_done) return;
    if (item === undefined) return void this.tellWhole(data.item, data);
    this.known.learn(item, data, data.item);
    // An item that comes back empty is ended with the answer, when what was streamed of it is gathered.
    if (!item.has_text || contentOf(data.item) !== "") this.endItem(item, data.item, true);
  }

  #announce(data: JsonRecord, told: JsonRecord, is_own = false): ShownItem {
    const kind = typeOf(told);
    const id = this.#ownId(nameOf(told.id), kind);
    const call_id = isClientCall(kind) ? this.#ownId(nameOf(told.call_id), "call", `${kind} `) : null;
    const item = new ShownItem(kind, { index: this.items.length, id, call_id }, this.#toldOf);
    this.items.push(item);
    this.known.learn(item, data, told);
    item.names.is_added = is_own;
    const shown = filledItem(told, item);
    for (const holder of ["content", "summary"] as const)
      for (const part of partsOf(shown, holder)) item[holder].add(null, stringOf(part.type));
    const patch = { output_index: item.index, item: shown };
    if (is_own) this.events.change(patch);
    else this.events.add("response.output_item.added", patch);
    return item;
  }

  /** The item that an event is about; a message or reasoning that was never announced is announced now. */
  #itemOf(name: string, data: JsonRecord): ShownItem | null {
    const kind = kindOfEvent(name);
    let item = this.known.ofEvent(data, kind, name.endsWith(".done"));
    if (item === undefined) {
      if (kind !== "message" && kind !== "reasoning") return null;
      item = this.#announce(data, { id: nameOf(data.item_id), type: kind, status: "in_progress" });
    }
    this.known.learn(item, data, null);
    return item.names.is_done ? null : item;
  }

  #takeText(name: string, data: JsonRecord, field: TextField): void {
    const item = this.#itemOf(name, data);
    if (item === null) return;
    const part = field.holder === "item" ? null : this.#partOf(item, field.holder, data, field.part_type ?? "");
    if (part?.is_done) return;
    const place = { ...placeOf(item), ...(part !== null && placeIn(field.holder, part)) };
    if (name.endsWith(".delta")) {
      if (typeof data.delta !== "string") return;
      item.has_text = true;
      return this.events.change(place);
    }
    // An end without its text would erase what was streamed: the item's own end says the same.
    if (typeof data[field.field] !== "string") return;
    if (part !== null) part.is_done = true;
    this.events.change(place);
  }

  #takePart(name: string, data: JsonRecord): void {
    if (!isObject(data.part)) return;
    const type = stringOf(data.part.type);
    const holder: PartHolder = name.includes("summary") ? "summary" : "content";
    const is_added = name.endsWith(".added");
    const item = this.#itemOf(type === "reasoning_text" ? "response.reasoning_text.delta" : name, data);
    const place = holder === "summary" ? data.summary_index : data.content_index;
    if (item === null || (is_added && item[holder].at(place, type) !== undefined)) return;
    const part = is_added ? item[holder].add(place, type) : this.#partOf(item, holder, data, type);
    if (!is_added && typeof data.part[type === "refusal" ? "refusal" : "text"] !== "string") return;
    part.is_done ||= !is_added;
    this.events.change({ ...placeOf(item), ...placeIn(holder, part), part: filledPart(data.part) });
  }

  /** The part that an event is about, announced now if it never was. */
  #partOf(item: ShownItem, holder: PartHolder, data: JsonRecord, type: string): ShownPart {
    const place = holder === "summary" ? data.summary_index : data.content_index;
    return item[holder].find(place, type) ?? this.#addPart(item, holder, { type }, place);
  }

  #addPart(item: ShownItem, holder: PartHolder, told: JsonRecord, place: unknown): ShownPart {
    const part = item[holder].add(place, stringOf(told.type));
    const empty = filledPart({ ...told, ...(typeof told.text === "string" && { text: "" }) });
    this.events.add(`${partKind(holder)}.added`, { ...placeOf(item), ...placeIn(holder, part), part: empty });
    return part;
  }

  /** Tells the parts of an item that no event has told, and ends those that no event has ended. */
  #tellParts(item: ShownItem, whole: JsonRecord): void {
    // Official SDKs throw on events about the parts of an item that they do not know.
    if (!ITEM_MEMBERS.has(whole.type)) return;
    for (const holder of ["content", "summary"] as const) {
      for (const [index, told] of partsOf(whole, holder).entries()) {
        const shown = item[holder].list[index];
        const rule = RULES.get(told.type);
        if (rule === undefined || shown?.is_done || (shown !== undefined && shown.type !== told.type)) continue;
        const [kind, { field }] = rule;
        const part = shown ?? this.#addPart(item, holder, { type: told.type }, null);
        const place = { ...placeOf(item), ...placeIn(holder, part) };
        if (shown === undefined) this.events.add(`${kind}.delta`, { ...place, delta: told[field] });
        part.is_done = true;
        this.events.add(`${kind}.done`, { ...place, [field]: told[field] });
        this.events.add(`${partKind(holder)}.done`, { ...place, part: told });
      }
    }
  }

  /** Events that report on a call of the vendor's own tool, and those that nobody knows. */
  #takeProgress(name: string, data: JsonRecord): void {
    const kind = kindOfEvent(name);
    if (!ITEM_MEMBERS.has(kind) || (data.item_id === undefined && data.output_index === undefined))
      return this.events.change({});
    const item = this.#itemOf(name, data);
    if (item === null) return;
    if (!name.endsWith(".annotation.added")) return this.events.change(placeOf(item));
    const part = this.#partOf(item, "content", data, "output_text");
    const annotation_index = part.annotations++;
    this.events.change({ ...placeOf(item), ...placeIn("content", part), annotation_index });
  }

  /** A name that no other item has: the vendor's own, or one of ours. */
  #ownId(told: string | null, kind: string, space = ""): string {
    const id = told !== null && !this.#ids.has(space + told) ? told : newItemId(kind);
    this.#ids.add(space + id);
    return id;
  }
}

/** The kind of text of each type of part. The text of some kinds is the item's own. */
const RULES = new Map<unknown, readonly [kind: string, TextField]>(
  [...TEXT_FIELDS].flatMap((rule) => (rule[1].part_type === undefined ? [] : [[rule[1].part_type, rule]])),
);

function partKind(holder: PartHolder): string {
  return holder === "summary" ? "response.reasoning_summary_part" : "response.content_part";
}

/** The id of the response in a first event that has what clients read; null where it must be looked at. */
function rightCreated(frame: Buffer): string | null {
  const id = CREATED.exec(frame.toString("latin1", 0, 400))?.[1] ?? null;
  return id !== null && frame.includes(OUTPUT) && frame.includes('"sequence_number"') ? id : null;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function placeOf(item: ShownItem): JsonRecord {
  return { item_id: item.id, output_index: item.index };
}

function placeIn(holder: string, part: ShownPart): JsonRecord {
  return holder === "summary" ? { summary_index: part.index } : { content_index: part.index };
}

function partsOf(item: JsonRecord, holder: PartHolder): readonly JsonRecord[] {
  const parts = item[holder];
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

function callMember({ type }: JsonRecord): string {
  return type === "custom_tool_call" ? "input" : "arguments";
}

/** The members that hold an item's text, as they are before any of it was told. */
function emptyContent(told: JsonRecord): JsonRecord {
  switch (told.type) {
    case "message":
      return { content: [] };
    case "reasoning":
      return { summary: [], ...(Array.isArray(told.content) && { content: [] }) };
    case "function_call":
    case "custom_tool_call":
      return { [callMember(told)]: "" };
    default:
      return {};
  }
}

const PLACES = /"(?:type|item_id|output_index|content_index|summary_index)" *: *(?:"[^"\\]*"|\d+)[ ,}]/g;
const NUMBER = /"sequence_number" *: *\d/;
const TEXT = /"delta" *: *"/;
/** Where the first of a run has them, they are a member that clients read. */
const LOGPROBS = /"logprobs" *: *\[/g;

/**
 * Recognises the deltas that follow one that was looked at and found right: they have the same members of the same values
 * but for the text and the number. Each is only searched for those bytes, which no text can hold, as a quote in a text has a
 * backslash before it.
 */
class RunOfDeltas {
  #name = "";
  #needles: readonly Buffer[] = [];
  #last: Buffer | null = null;

  /** Whether a frame goes on with the run, and is no second copy of the frame before it. */
  has(name: string, frame: Buffer): boolean {
    if (name !== this.#name || this.#last === null) return false;
    for (const needle of this.#needles) if (!frame.includes(needle)) return false;
    if (this.isCopy(frame)) return false;
    this.#last = frame;
    return true;
  }

  /** Whether a frame is the last delta once more: two events never have the same number. */
  isCopy(frame: Buffer): boolean {
    return this.#last !== null && frame.length === this.#last.length && frame.equals(this.#last);
  }

  /** Begins a run with a delta that was right as it came. */
  begin(name: string, frame: Buffer): void {
    const text = frame.toString("latin1");
    const number = NUMBER.exec(text);
    const delta = TEXT.exec(text);
    if (number === null || delta === null) return this.end();
    this.#name = name;
    const members = [PLACES, LOGPROBS].flatMap((pattern) => text.match(pattern) ?? []);
    this.#needles = [number[0].slice(0, -1), delta[0], ...members].map((needle) => Buffer.from(needle, "latin1"));
    this.#last = frame;
  }

  end(): void {
    this.#name = "";
    this.#last = null;
  }
}
