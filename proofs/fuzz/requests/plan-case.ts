import type { BilledEndpoint } from "../../../src/core/endpoints.ts";
import { isObject } from "../../../src/core/json.ts";
import { Draw } from "../../torture/draw.ts";
import { CHAT_VENDORS, DECISION_VENDORS, SLOTS } from "../gateway/fuzz-models.ts";
import { memberOf, mutateTree, namesIn, setMember, type Tree, textOf, treeOf } from "../inputs/json-tree.ts";
import { mutateBytes } from "../inputs/mutate-bytes.ts";
import { JSON_WORDS } from "../inputs/odd-values.ts";
import { carry } from "./carry.ts";
import { type FuzzCase, type PlannedStep, RESPONSE_ID } from "./fuzz-case.ts";
import { freeStep } from "./plan-free-step.ts";
import { bodiesOf, ENDPOINTS, PATHS, seedBodies } from "./seed-bodies.ts";

const BYTES_SHARE = 0.2;
const PIPELINED_SHARE = 0.06;
/** Most of what is drawn or changed is refused, and refusals say little about vendors and money. */
const SOUND_SHARE = 0.85;
const CHANGED_SHARE = 0.45;

const PLANS = [
  { weight: 20, plan: "chat.completions" },
  { weight: 16, plan: "responses" },
  { weight: 18, plan: "messages" },
  { weight: 14, plan: "generateContent" },
  { weight: 10, plan: "decisions" },
  { weight: 10, plan: "systemone" },
  { weight: 3, plan: "form" },
  { weight: 5, plan: "count" },
  { weight: 8, plan: "remembered" },
  { weight: 4, plan: "repeated" },
  { weight: 10, plan: "free" },
] as const;

/** The case of this number in the run of this seed. */
export function planCase(run_seed: number, number: number): FuzzCase {
  const seed = run_seed * 1_000_003 + number;
  const draw = new Draw(seed);
  const slot = number % SLOTS;
  const marker = `case-${String(number).padStart(7, "0")}-`;
  const family = draw.chance(BYTES_SHARE) ? "bytes" : "requests";
  const made = stepsOf({ slot, marker, draw });
  const pipelined = family === "bytes" ? draw.chance(0.5) : draw.chance(PIPELINED_SHARE);
  const more = pipelined || draw.chance(0.1) ? [...made, ...stepsOf({ slot, marker, draw })] : made;
  const steps =
    family === "bytes"
      ? more.map((step) => ({
          ...step,
          leaves_after_ms: null,
          mutation_seed: draw.chance(0.8) ? draw.whole(0, 1e9) : null,
        }))
      : more;
  return { number, slot, seed, marker, family, steps, pipelined };
}

interface Making {
  readonly slot: number;
  readonly marker: string;
  readonly draw: Draw;
}

function stepsOf(making: Making): PlannedStep[] {
  const { plan } = making.draw.weighted(PLANS);
  switch (plan) {
    case "free":
      return [freeStep(making.draw)];
    case "count":
      return [countStep(making)];
    case "form":
      return [formStep(making)];
    case "remembered":
      return remembered(making);
    case "repeated":
      return repeated(making);
    default:
      return [billedStep(plan, making)];
  }
}

function billedStep(endpoint: BilledEndpoint, making: Making): PlannedStep {
  const { draw } = making;
  const { tree, vendor } = bodyFor(endpoint, making);
  const target = endpoint === "generateContent" ? geminiTarget(making, vendor) : PATHS[endpoint];
  return carry({ route: endpoint, method: "POST", target, body: bytesOf(tree, draw), vendor }, draw);
}

/** Where Gemini's style asks: the model and the form of the answer stand in the address. */
function geminiTarget({ slot, draw }: Making, vendor: string | null): string {
  const model = `${vendor ?? "nobody"}/m${slot}`;
  const method = draw.one(["generateContent", "streamGenerateContent?alt=sse", "streamGenerateContent"]);
  const base = draw.one(["/v1beta", "/v1beta", "/v1"]);
  return `${base}/models/${draw.chance(0.3) ? encodeURIComponent(model) : model}:${method}`;
}

function countStep(making: Making): PlannedStep {
  const { tree, vendor } = bodyFor("messages", making);
  const body = bytesOf(tree, making.draw);
  return carry(
    { route: "messages.count_tokens", method: "POST", target: "/v1/messages/count_tokens", body, vendor },
    making.draw,
  );
}

/** A response that is stored, and requests that refer to it. */
function remembered(making: Making): PlannedStep[] {
  const { slot, draw } = making;
  const vendor = draw.one(["responses", "chat", "messages", "gemini", "sim"]);
  const model = `${vendor}/m${slot}`;
  const post = (body: object): PlannedStep =>
    sound(
      carry(
        {
          route: "responses",
          method: "POST",
          target: "/v1/responses",
          body: Buffer.from(JSON.stringify(body)),
          vendor,
        },
        draw,
      ),
    );
  const first = post({ model, input: `${making.marker}Remember this.`, stream: draw.chance(0.5) });
  const reference = draw.one<object>([
    { previous_response_id: RESPONSE_ID, input: "Go on." },
    { previous_response_id: RESPONSE_ID, input: [{ type: "item_reference", id: RESPONSE_ID }] },
    { previous_response_id: RESPONSE_ID },
  ]);
  const path = `/v1/responses/${RESPONSE_ID}`;
  const looks = [
    () => free("responses.retrieve", "GET", path),
    () =>
      free(
        "responses.input_items",
        "GET",
        `${path}/input_items?${draw.one(["limit=1", "order=asc", "limit=0", "after=x", "limit=x&order=y", ""])}`,
      ),
    () => free("responses.delete", "DELETE", path),
    () => post({ model, stream: draw.chance(0.5), ...reference }),
    // Somebody else's account must not get it.
    () => ({ ...free("responses.retrieve", "GET", path), key: "other" as const }),
    () => ({ ...post({ model, ...reference }), key: "other" as const }),
  ];
  function free(route: PlannedStep["route"], method: string, target: string): PlannedStep {
    return sound(carry({ route, method, target, body: null, vendor: null }, draw));
  }
  return [first, ...Array.from({ length: draw.whole(1, 3) }, () => draw.one(looks)())];
}

/** A billed request twice, with one `Idempotency-Key`. */
function repeated(making: Making): PlannedStep[] {
  const { draw, marker } = making;
  const endpoint = draw.one(ENDPOINTS);
  const step = sound(billedStep(endpoint, making));
  const headers = [...step.headers.filter((line) => !/^idempotency-key:/i.test(line)), `idempotency-key: ${marker}`];
  const once = { ...step, headers };
  return [once, once];
}

/** What follows needs this step's answer: it is sent with the right key, and its client stays. */
function sound(step: PlannedStep): PlannedStep {
  return { ...step, key: "rich", leaves_after_ms: null };
}

const NAMES = new Map<BilledEndpoint, readonly string[]>();

function namesOf(endpoint: BilledEndpoint): readonly string[] {
  const known = NAMES.get(endpoint) ?? namesIn(seedBodies(endpoint).map(treeOf));
  NAMES.set(endpoint, known);
  return known;
}

/** A body of the endpoint, as it was or changed, that asks for a model of the case, as a rule. */
function bodyFor(endpoint: BilledEndpoint, { slot, marker, draw }: Making): { tree: Tree; vendor: string | null } {
  const { sound: as_sent, drawn } = bodiesOf(endpoint);
  const tree = treeOf(draw.one(draw.chance(SOUND_SHARE) ? as_sent : drawn));
  const is_decision = endpoint === "decisions" || endpoint === "systemone";
  const vendors: readonly string[] = is_decision ? DECISION_VENDORS : CHAT_VENDORS;
  const vendor = draw.one(draw.chance(0.98) ? vendors : [...CHAT_VENDORS, ...DECISION_VENDORS, "nobody"]);
  const is_addressed = endpoint === "generateContent";
  if (!is_decision && !is_addressed) setMember(tree, "stream", draw.chance(0.5));
  if (draw.chance(CHANGED_SHARE)) {
    const other = treeOf(draw.one(seedBodies(draw.chance(0.7) ? endpoint : draw.one(ENDPOINTS))));
    mutateTree(tree, draw, { names: namesOf(endpoint), other, most_repeats: 200 });
  }
  prefix(tree, marker);
  if (draw.chance(0.04)) return { tree, vendor: null };
  if (!is_addressed) setMember(tree, "model", `${vendor}/m${slot}`);
  return { tree, vendor };
}

/** Puts the marker into the texts that a model may say back. */
function prefix(tree: Tree, marker: string): void {
  for (const key of ["input", "state", "instructions"]) {
    const member = memberOf(tree, key);
    if (member?.value.kind === "leaf" && /^"[a-zA-Z]/.test(member.value.text))
      member.value = treeOf(marker + (JSON.parse(member.value.text) as string));
  }
}

/** Some bodies are so large that other threads work on them (docs/adr/0027). */
const LARGE_SHARE = 0.03;

function enlarged(text: string, draw: Draw): string {
  const more = draw.whole(500_000, 700_000);
  return draw.chance(0.5) ? text + " ".repeat(more) : text.replace(/(?<=[^\\]": ?"[A-Za-z])/, "x".repeat(more));
}

function bytesOf(tree: Tree, draw: Draw): Buffer {
  const text = textOf(tree);
  const spaced = draw.chance(0.1) ? text.replaceAll(/(?<=[,{[])"/g, draw.one([' "', '\n"', '\r\n\t"'])) : text;
  const sized = draw.chance(LARGE_SHARE) ? enlarged(spaced, draw) : spaced;
  const bytes = Buffer.from(draw.chance(0.02) ? `\ufeff${sized}` : sized);
  return draw.chance(0.06) ? mutateBytes(bytes, draw, { words: JSON_WORDS, most_bytes: 1024 * 1024 }) : bytes;
}

/** A System One request as a form, with a picture for each asset. */
function formStep(making: Making): PlannedStep {
  const { draw } = making;
  const { tree, vendor } = bodyFor("systemone", making);
  if (draw.chance(0.7)) setMember(tree, "assets", { a: { type: "image", format: "png", part: "a" } });
  const boundary = draw.one(["b", "----x", "a b", "'()+_,-./:=?"]);
  const part = (head: string, data: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${data}\r\n`;
  const text =
    part('name="request"', textOf(tree)) +
    part('name="a"; filename="a.png"', "\x89PNG\r\n\x1a\n") +
    (draw.chance(0.2) ? part('name="b"', "x") : "");
  const whole = Buffer.from(`${text}--${boundary}--\r\n`, "latin1");
  const body = draw.chance(0.3)
    ? mutateBytes(whole, draw, { words: ["--", "\r\n", `--${boundary}`, '"', "\0"], most_bytes: 512 * 1024 })
    : whole;
  const step = carry({ route: "systemone", method: "POST", target: PATHS.systemone, body, vendor }, draw);
  const headers = step.headers.filter((line) => !/^content-type:/i.test(line));
  return { ...step, headers: [...headers, `content-type: multipart/form-data; boundary="${boundary}"`] };
}

/** Whether a planned body asks for a stream; false for what is no JSON. */
export function asksForStream({ body, target }: PlannedStep): boolean {
  if (target.includes(":streamGenerateContent")) return true;
  try {
    const parsed: unknown = JSON.parse(body?.toString() ?? "");
    return isObject(parsed) && parsed.stream === true;
  } catch {
    return false;
  }
}
