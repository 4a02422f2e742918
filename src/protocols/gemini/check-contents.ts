import { GatewayError } from "../../core/errors.ts";
import type { GenerateContentRequest, WirePart } from "./wire-request.ts";

/** Checks what the schema of a request leaves open: that there is something to answer, and that each part says one thing. */
export function checkContents({ contents, systemInstruction }: GenerateContentRequest): void {
  for (const [turn, { parts, role }] of contents.entries()) {
    if (role === "system") throw fault(`contents[${turn}].role`, '"system"', SYSTEM_PLACE);
    for (const [at, part] of (parts ?? []).entries()) checkPart(part, `contents[${turn}].parts[${at}]`);
  }
  const says_something = contents.some(({ parts }) => (parts ?? []).length > 0);
  if (!says_something) throw fault("contents", "without any part", "a turn with at least one part");
  for (const [at, part] of (systemInstruction?.parts ?? []).entries()) {
    const place = `systemInstruction.parts[${at}]`;
    if (typeof part.text !== "string") throw fault(place, "no text", "a text");
  }
}

const SYSTEM_PLACE = '"user" or "model", and instructions in \'systemInstruction\'';
const DATA = ["text", "inlineData", "fileData", "functionCall", "functionResponse"] as const;

function checkPart(part: WirePart, place: string): void {
  const said = DATA.filter((name) => (part[name] ?? null) !== null);
  if (said.length > 1)
    throw fault(place, `a part with ${said.map((name) => `'${name}'`).join(" and ")}`, "one of them");
}

function fault(place: string, found: string, allowed: string): GatewayError {
  return new GatewayError("invalid_request", `'${place}' is ${found}; allowed: ${allowed}.`, { param: place });
}
