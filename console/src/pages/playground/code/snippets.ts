import { type ChatStyle, type DecisionShape, isShape, STYLES, type Style } from "../endpoints.ts";
import { type Json, pythonArguments, pythonLiteral, typescriptLiteral } from "./literals.ts";

export interface CodedRequest {
  readonly style: Style;
  readonly body: { readonly [name: string]: Json | undefined };
  /** The gateway's origin: `https://gateway.example`. */
  readonly origin: string;
}

/** A snippet as the kit's `Snippets` takes it. */
export interface CodeSnippet {
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
  return [
    `curl${streams} ${origin}${STYLES[style].path} \\\n`,
    `  -H "authorization: Bearer $CAMINO_API_KEY" \\\n`,
    version,
    `  -H "content-type: application/json" \\\n`,
    `  -d '${text}'`,
  ].join("");
}

const TS_CALLS: Readonly<Record<ChatStyle, { call: string; streamed: string; whole: string }>> = {
  chat: {
    call: "client.chat.completions.create",
    streamed: 'process.stdout.write(event.choices[0]?.delta.content ?? "");',
    whole: "console.log(answer.choices[0]?.message.content);",
  },
  responses: {
    call: "client.responses.create",
    streamed: 'if (event.type === "response.output_text.delta") process.stdout.write(event.delta);',
    whole: "console.log(answer.output_text);",
  },
  messages: {
    call: "client.messages.create",
    streamed:
      'if (event.type === "content_block_delta" && event.delta.type === "text_delta") {\n    process.stdout.write(event.delta.text);\n  }',
    whole: "console.log(answer.content);",
  },
};

function typescript({ style, body, origin }: CodedRequest): string {
  if (isShape(style)) return typescriptFetch(style, body, origin);
  const { call, streamed, whole } = TS_CALLS[style];
  const head =
    style === "messages"
      ? `import Anthropic from "@anthropic-ai/sdk";\n\nconst client = new Anthropic({\n  baseURL: "${origin}",\n  apiKey: process.env.CAMINO_API_KEY,\n});`
      : `import OpenAI from "openai";\n\nconst client = new OpenAI({\n  baseURL: "${origin}/v1",\n  apiKey: process.env.CAMINO_API_KEY,\n});`;
  const literal = typescriptLiteral(body);
  return body.stream === true
    ? `${head}\n\nconst stream = await ${call}(${literal});\nfor await (const event of stream) {\n  ${streamed}\n}`
    : `${head}\n\nconst answer = await ${call}(${literal});\n${whole}`;
}

function typescriptFetch(shape: DecisionShape, body: CodedRequest["body"], origin: string): string {
  return `const response = await fetch("${origin}${STYLES[shape].path}", {
  method: "POST",
  headers: {
    authorization: \`Bearer \${process.env.CAMINO_API_KEY}\`,
    "content-type": "application/json",
  },
  body: JSON.stringify(${typescriptLiteral(body, "  ")}),
});
const { answers } = await response.json();
console.log(answers);`;
}

const PYTHON_CALLS: Readonly<Record<ChatStyle, { call: string; streamed: string; whole: string }>> = {
  chat: {
    call: "client.chat.completions.create",
    streamed:
      'for event in answer:\n    if event.choices:\n        print(event.choices[0].delta.content or "", end="", flush=True)',
    whole: "print(answer.choices[0].message.content)",
  },
  responses: {
    call: "client.responses.create",
    streamed:
      'for event in answer:\n    if event.type == "response.output_text.delta":\n        print(event.delta, end="", flush=True)',
    whole: "print(answer.output_text)",
  },
  messages: {
    call: "client.messages.create",
    streamed:
      'for event in answer:\n    if event.type == "content_block_delta" and event.delta.type == "text_delta":\n        print(event.delta.text, end="", flush=True)',
    whole: "print(answer.content)",
  },
};

function python({ style, body, origin }: CodedRequest): string {
  if (isShape(style)) return pythonRequests(style, body, origin);
  const { call, streamed, whole } = PYTHON_CALLS[style];
  const [module, client, base] =
    style === "messages" ? ["anthropic", "Anthropic", origin] : ["openai", "OpenAI", `${origin}/v1`];
  const head = `import os\nfrom ${module} import ${client}\n\nclient = ${client}(\n    base_url="${base}",\n    api_key=os.environ["CAMINO_API_KEY"],\n)`;
  return `${head}\n\nanswer = ${call}(\n${pythonArguments(body)})\n${body.stream === true ? streamed : whole}`;
}

function pythonRequests(shape: DecisionShape, body: CodedRequest["body"], origin: string): string {
  return `import os
import requests

response = requests.post(
    "${origin}${STYLES[shape].path}",
    headers={"authorization": f"Bearer {os.environ['CAMINO_API_KEY']}"},
    json=${pythonLiteral(body, "    ")},
)
response.raise_for_status()
print(response.json()["answers"])`;
}
