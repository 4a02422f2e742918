import type { Static, TSchema } from "typebox";
import type { ClientRequest, EndpointProtocol } from "../../core/answer/exchange.ts";
import type { JsonRecord } from "../../core/json.ts";
import { type BodyCheck, compileBodyCheck } from "./check-body.ts";
import { parseBody } from "./parse-json.ts";

interface PlainEndpoint<Schema extends TSchema>
  extends Omit<EndpointProtocol, "error_style" | "general_error" | "readRequest"> {
  readonly schema: Schema;
  /** Refuses what has a better error than the schema's, before the body is checked. */
  readonly refuse?: (body: JsonRecord) => void;
  /** Reads a checked body; members that it leaves out are those of a request whose answer has no text and no stream. */
  readonly read: (
    body: Static<Schema>,
    text: string,
  ) => Pick<ClientRequest, "model" | "input_bound_tokens"> & Partial<ClientRequest>;
}

/**
 * An endpoint of style A whose bodies have one schema. Reading a request throws `invalid_json`, and `invalid_input` for what is
 * none of the endpoint's.
 */
export function plainEndpoint<Schema extends TSchema>(endpoint: PlainEndpoint<Schema>): EndpointProtocol {
  const { schema, refuse, read, ...about } = endpoint;
  const check: BodyCheck<Static<Schema>> = compileBodyCheck(schema, () => "invalid_input");
  const { protocol } = about;
  return {
    error_style: "a",
    general_error: "invalid_input",
    ...about,
    readRequest(text) {
      const body = parseBody(text);
      refuse?.(body);
      check(body);
      return { protocol, stream: false, output_cap: 0, choices: 1, text, body, ...read(body, text) };
    },
  };
}
