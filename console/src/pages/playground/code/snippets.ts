import { STYLES, type Style } from "../endpoints.ts";
import { pythonArguments, pythonLiteral, typescriptLiteral } from "./literals.ts";
import { type CalledStyle, type CodedBody, curlOutput, MEMBER, PYTHON, TYPESCRIPT } from "./programs.ts";

interface CodedRequest {
  readonly style: Style;
  readonly body: CodedBody;
  /** The gateway's origin: `https://gateway.example`. */
  readonly origin: string;
}

/** A snippet as the kit's `Snippets` takes it. */
interface CodeSnippet {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

/** A request as programs: curl, TypeScript and Python. The key is read from CAMINO_API_KEY and never written out. */
export function requestSnippets(request: CodedRequest): CodeSnippet[] {
  return [
    { id: "curl", label: "curl", code: curl(request) },
    { id: "typescript", label: "TypeScript", code: typescript(request) },
    { id: "python", label: "Python", code: python(request) },
  ];
}

function curl({ style, body, origin }: CodedRequest): string {
  const text = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  const streams = body.stream === true ? " -N" : "";
  const version = style === "messages" ? `  -H "anthropic-version: 2023-06-01" \\\n` : "";
  const { flag, pipe } = curlOutput(style, body);
  return [
    `curl${streams} ${origin}${STYLES[style].path}${flag} \\\n`,
    `  -H "authorization: Bearer $CAMINO_API_KEY" \\\n`,
    version,
    `  -H "content-type: application/json" \\\n`,
    `  -d '${text}'${pipe}`,
  ].join("");
}

function isCalled(style: Style): style is CalledStyle {
  return style in TYPESCRIPT;
}

function typescript({ style, body, origin }: CodedRequest): string {
  if (!isCalled(style)) return typescriptFetch(style, body, origin);
  const { call, imports = "", streamed, whole } = TYPESCRIPT[style];
  const client =
    style === "messages"
      ? `import Anthropic from "@anthropic-ai/sdk";\n\nconst client = new Anthropic({\n  baseURL: "${origin}",\n  apiKey: process.env.CAMINO_API_KEY,\n});`
      : `import OpenAI from "openai";\n\nconst client = new OpenAI({\n  baseURL: "${origin}/v1",\n  apiKey: process.env.CAMINO_API_KEY,\n});`;
  const head = `${imports}${client}`;
  const literal = typescriptLiteral(body);
  return body.stream === true && streamed !== undefined
    ? `${head}\n\nconst stream = await ${call}(${literal});\nfor await (const event of stream) {\n  ${streamed}\n}`
    : `${head}\n\nconst answer = await ${call}(${literal});\n${whole(body)}`;
}

function typescriptFetch(style: Exclude<Style, CalledStyle>, body: CodedBody, origin: string): string {
  return `const response = await fetch("${origin}${STYLES[style].path}", {
  method: "POST",
  headers: {
    authorization: \`Bearer \${process.env.CAMINO_API_KEY}\`,
    "content-type": "application/json",
  },
  body: JSON.stringify(${typescriptLiteral(body, "  ")}),
});
const { ${MEMBER[style]} } = await response.json();
console.log(${MEMBER[style]});`;
}

function python({ style, body, origin }: CodedRequest): string {
  if (!isCalled(style)) return pythonRequests(style, body, origin);
  const { call, imports = "", streamed, whole } = PYTHON[style];
  const [module, client, base] =
    style === "messages" ? ["anthropic", "Anthropic", origin] : ["openai", "OpenAI", `${origin}/v1`];
  const head = `${imports}import os\nfrom ${module} import ${client}\n\nclient = ${client}(\n    base_url="${base}",\n    api_key=os.environ["CAMINO_API_KEY"],\n)`;
  const after = body.stream === true && streamed !== undefined ? streamed : whole(body);
  return `${head}\n\nanswer = ${call}(\n${pythonArguments(body)})\n${after}`;
}

function pythonRequests(style: Exclude<Style, CalledStyle>, body: CodedBody, origin: string): string {
  return `import os
import requests

response = requests.post(
    "${origin}${STYLES[style].path}",
    headers={"authorization": f"Bearer {os.environ['CAMINO_API_KEY']}"},
    json=${pythonLiteral(body, "    ")},
)
response.raise_for_status()
print(response.json()["${MEMBER[style]}"])`;
}
