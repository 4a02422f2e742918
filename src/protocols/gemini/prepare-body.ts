import type { ClientRequest, Target } from "../../core/answer/exchange.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { chargesAt, type PreparedBody } from "../shared/charged-members.ts";
import { parseExact } from "../shared/exact-json.ts";
import { isGemini3 } from "../shared/google-models.ts";
import { findMembers, type MemberChange, mapItems, memberText, replaceMembers } from "../shared/json-members.ts";
import { objectSchema } from "../shared/object-schema.ts";
import { sentCap } from "../shared/sent-cap.ts";
import { demandError } from "../shared/tool-choice.ts";
import { placesOf } from "../shared/tool-lists.ts";
import { ADDRESS } from "./addressed-body.ts";
import { decodeReasoning } from "./decode-request.ts";
import { fitThinking } from "./encode-request.ts";
import { fitSchema } from "./json-schema.ts";
import { relayedContents } from "./relayed-contents.ts";
import type { GeminiThinking } from "./wire-request.ts";

/** A schema without these keywords needs no change. Where one only stands in a description, the schema is parsed in vain. */
const SUSPECT = /"(?:\$ref|const|enum|definitions|anyOf|oneOf|allOf|not)"/;

/** The JSON text of relayed tools with schemas that Google's servers accept (docs/rulings.md 196, 197); null where none has to change. */
function relayedToolSchemas(text: string | null): string | null {
  if (text === null || !SUSPECT.test(text)) return null;
  const tools: unknown = parseExact(text);
  if (!Array.isArray(tools)) return null;
  let is_same = true;
  const fitted = tools.map((tool: unknown) => {
    if (!isObject(tool) || !Array.isArray(tool.functionDeclarations)) return tool;
    const functionDeclarations = tool.functionDeclarations.map((declared: unknown) => {
      const own = fittedDeclaration(declared);
      is_same &&= own === declared;
      return own;
    });
    return { ...tool, functionDeclarations };
  });
  return is_same ? null : JSON.stringify(fitted);
}

function fittedDeclaration(declared: unknown): unknown {
  if (!isObject(declared) || !isObject(declared.parametersJsonSchema)) return declared;
  const found = objectSchema(declared.parametersJsonSchema);
  // What is no object is left to the vendor to judge.
  const plain: JsonRecord = "fault" in found ? declared.parametersJsonSchema : found.schema;
  const { schema } = fitSchema(plain);
  return schema === declared.parametersJsonSchema ? declared : { ...declared, parametersJsonSchema: schema };
}

/** The same for the JSON text of the answer's schema. */
function relayedAnswerSchema(text: string | null): string | null {
  if (text === null || !SUSPECT.test(text)) return null;
  const sent: unknown = parseExact(text);
  const { schema } = fitSchema(sent);
  return schema === sent ? null : JSON.stringify(schema);
}

/** Fields that every request needs: they are sent even where a vendor's configuration lists them as unsupported. */
const INDISPENSABLE: ReadonlySet<string> = new Set(["contents"]);

/** Prepares the client's body for one target. Every byte that need not change stays. */
export function prepareBody(request: ClientRequest, target: Target): PreparedBody {
  const { text, body } = request;
  const members = request.members ?? findMembers(text);
  const changes = new Map<string, string | null>([[ADDRESS, null]]);
  const ignored: string[] = [];
  // The model stands in the path; a body may repeat it, by the name that the client knows.
  if (members.has("model")) changes.set("model", null);
  const contents = memberText(text, members, "contents") ?? "[]";
  const turns = body.contents as readonly unknown[];
  const relayed = relayedContents(contents, turns, { vendor: target.vendor, is_gemini_3: isGemini3(target.model) });
  if (relayed !== null) changes.set("contents", relayed);
  const config = fittedConfig(memberText(text, members, "generationConfig"), request, target, ignored);
  if (config !== null) changes.set("generationConfig", config);
  const judged = chargesAt(request, target, "invalid_request");
  const left_out = placesOf(judged?.left_out ?? []);
  const sent_tools = memberText(text, members, "tools");
  if (left_out.tools.size > 0) {
    const tools = withoutTools(sent_tools ?? "[]", left_out.tools, ignored);
    changes.set("tools", tools);
    if (tools === null) demandedTools(body, target, left_out.tools);
  }
  const tools = relayedToolSchemas(changes.has("tools") ? (changes.get("tools") ?? null) : sent_tools);
  if (tools !== null) changes.set("tools", tools);
  for (const field of [...(target.vendor.quirks.unsupported_fields ?? []), ...left_out.members]) {
    if (INDISPENSABLE.has(field) || !members.has(field)) continue;
    changes.set(field, null);
    if (!ignored.includes(field)) ignored.push(field);
  }
  const charged = (judged?.kept ?? []).filter(({ place }) => changes.get(place) !== null);
  return { body: replaceMembers(text, changes, members), ignored, charged };
}

/** The JSON text of the tools that are left, null where none is. What is left out is named. */
function withoutTools(text: string, places: ReadonlySet<string>, ignored: string[]): string | null {
  let is_empty = true;
  const left = mapItems(text, (item, index) => {
    const gone = [...places].filter((place) => place.startsWith(`tools[${index}].`)).map((place) => nameIn(place));
    const members = findMembers(item);
    if (members.size > gone.length) is_empty = false;
    for (const name of gone) if (!ignored.includes(`tools.${name}`)) ignored.push(`tools.${name}`);
    return replaceMembers(
      item,
      gone.map((name): MemberChange => [name, null]),
      members,
    );
  });
  return is_empty ? null : left;
}

function nameIn(place: string): string {
  return place.slice(place.indexOf(".") + 1);
}

/** The settings with the cap and the thinking that the target takes; null where nothing changes. */
function fittedConfig(sent: string | null, request: ClientRequest, target: Target, ignored: string[]): string | null {
  const changes: MemberChange[] = [];
  const cap = sentCap(request, target);
  if (cap !== request.output_cap && cap !== null) changes.push(["maxOutputTokens", String(cap)]);
  const { generationConfig } = request.body;
  const config: JsonRecord = isObject(generationConfig) ? generationConfig : {};
  const { thinkingConfig, responseJsonSchema } = config;
  if (isObject(responseJsonSchema) && sent !== null) {
    const schema = relayedAnswerSchema(memberText(sent, findMembers(sent), "responseJsonSchema"));
    if (schema !== null) changes.push(["responseJsonSchema", schema]);
  }
  if (isObject(thinkingConfig) && !takesThinking(thinkingConfig, target)) {
    const fitted = fitThinking(decodeReasoning(thinkingConfig), target.model);
    if (fitted.ignored) ignored.push("generationConfig.thinkingConfig");
    changes.push(["thinkingConfig", fitted.config === undefined ? null : JSON.stringify(fitted.config)]);
  }
  if (changes.length === 0) return null;
  return replaceMembers(sent === null || sent === "null" ? "{}" : sent, changes);
}

/** Newer models take a budget in place of a level, earlier ones no level; models without thinking take neither. */
function takesThinking({ thinkingLevel }: GeminiThinking, { model: { capabilities } }: Target): boolean {
  if (!capabilities.thinking) return false;
  return (
    (thinkingLevel ?? null) === null ||
    capabilities.reasoning?.budget_tokens === undefined ||
    (capabilities.reasoning.effort ?? []).length > 0
  );
}

/** Throws where a request demands a call, and all that could be called was left out for lack of a price (docs/rulings.md 190). */
function demandedTools({ toolConfig }: JsonRecord, { model }: Target, places: ReadonlySet<string>): void {
  const calling = isObject(toolConfig) ? toolConfig.functionCallingConfig : null;
  if (!isObject(calling) || calling.mode !== "ANY") return;
  const names = [...places].map((place) => ({ name: place.slice(place.indexOf(".") + 1), is_hosted: true }));
  throw demandError(model.id, names, "invalid_request");
}
