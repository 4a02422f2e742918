import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { JsonMembers } from "../../core/json.ts";
import { mayLoseDigits, parseExactUnder } from "./exact-json.ts";
import { findMembers, memberText } from "./json-members.ts";

/** The members of all styles under which a request has schemas: of tools, of the answer's format. */
const HOLDERS = ["tools", "response_format", "text", "output_config", "output_format", "functions"];
/** The keys of schemas within them. */
const SCHEMAS: ReadonlySet<string> = new Set(["parameters", "input_schema", "schema"]);

/** A request whose schemas keep their numbers digit by digit (docs/rulings.md 193): nearly always the given one. */
export function withExactSchemas(request: ClientRequest): ClientRequest {
  const { body, text } = request;
  const holders = HOLDERS.filter((name) => typeof body[name] === "object" && body[name] !== null);
  if (holders.length === 0 || text === "") return request;
  const members = request.members ?? findMembers(text);
  const exact = holders.map((name) => [name, memberWithExactSchemas(request, members, name)] as const);
  if (exact.every(([name, value]) => value === body[name])) return request;
  return { ...request, body: { ...body, ...Object.fromEntries(exact) } };
}

/** The value of a request's member, whose schemas keep their numbers; nearly always that of the parsed body. */
export function memberWithExactSchemas(
  { body, text }: Pick<ClientRequest, "body" | "text">,
  members: JsonMembers,
  name: string,
): unknown {
  const held = memberText(text, members, name);
  return held !== null && mayLoseDigits(held) ? parseExactUnder(SCHEMAS, held) : body[name];
}
