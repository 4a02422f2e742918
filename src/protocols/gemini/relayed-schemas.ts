import { isObject, type JsonRecord } from "../../core/json.ts";
import { parseExact } from "../shared/exact-json.ts";
import { objectSchema } from "../shared/object-schema.ts";
import { fitSchema } from "./json-schema.ts";

/** Keywords without which a schema needs no change; words that only stand in a description cost a second look. */
const SUSPECT = /"(?:\$ref|const|enum|definitions|anyOf|oneOf|allOf|not)"/;

/** The JSON text of relayed tools whose functions have schemas that Google's servers take (docs/rulings.md 196, 197); null where all have. */
export function relayedToolSchemas(text: string | null): string | null {
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
export function relayedAnswerSchema(text: string | null): string | null {
  if (text === null || !SUSPECT.test(text)) return null;
  const sent: unknown = parseExact(text);
  const { schema } = fitSchema(sent);
  return schema === sent ? null : JSON.stringify(schema);
}
