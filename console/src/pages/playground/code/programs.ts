import type { Style } from "../endpoints.ts";
import type { Json } from "./literals.ts";

export type CodedBody = { readonly [name: string]: Json | undefined };

/** How a program of one language asks an endpoint by its official client, and what it does with the answer. */
interface Program {
  readonly call: string;
  /** Lines that the program needs first. */
  readonly imports?: string;
  readonly whole: (body: CodedBody) => string;
  /** Absent where answers do not stream. */
  readonly streamed?: string;
}

/** The endpoints that official clients have methods for. */
export type CalledStyle = Exclude<Style, "decisions" | "systemone" | "rerank">;

function speechFile({ response_format }: CodedBody): string {
  const format: string = typeof response_format === "string" ? response_format : "mp3";
  return `speech.${format}`;
}

export const TYPESCRIPT: Readonly<Record<CalledStyle, Program>> = {
  chat: {
    call: "client.chat.completions.create",
    streamed: 'process.stdout.write(event.choices[0]?.delta.content ?? "");',
    whole: () => "console.log(answer.choices[0]?.message.content);",
  },
  responses: {
    call: "client.responses.create",
    streamed: 'if (event.type === "response.output_text.delta") process.stdout.write(event.delta);',
    whole: () => "console.log(answer.output_text);",
  },
  messages: {
    call: "client.messages.create",
    streamed:
      'if (event.type === "content_block_delta" && event.delta.type === "text_delta") {\n    process.stdout.write(event.delta.text);\n  }',
    whole: () => "console.log(answer.content);",
  },
  images: {
    call: "client.images.generate",
    imports: 'import { writeFile } from "fs/promises";\n',
    whole: () => 'await writeFile("image.png", Buffer.from(answer.data?.[0]?.b64_json ?? "", "base64"));',
  },
  speech: {
    call: "client.audio.speech.create",
    imports: 'import { writeFile } from "fs/promises";\n',
    whole: (body) => `await writeFile("${speechFile(body)}", Buffer.from(await answer.arrayBuffer()));`,
  },
  embeddings: {
    call: "client.embeddings.create",
    whole: () => "console.log(answer.data.map(({ embedding }) => embedding.length));",
  },
};

export const PYTHON: Readonly<Record<CalledStyle, Program>> = {
  chat: {
    call: "client.chat.completions.create",
    streamed:
      'for event in answer:\n    if event.choices:\n        print(event.choices[0].delta.content or "", end="", flush=True)',
    whole: () => "print(answer.choices[0].message.content)",
  },
  responses: {
    call: "client.responses.create",
    streamed:
      'for event in answer:\n    if event.type == "response.output_text.delta":\n        print(event.delta, end="", flush=True)',
    whole: () => "print(answer.output_text)",
  },
  messages: {
    call: "client.messages.create",
    streamed:
      'for event in answer:\n    if event.type == "content_block_delta" and event.delta.type == "text_delta":\n        print(event.delta.text, end="", flush=True)',
    whole: () => "print(answer.content)",
  },
  images: {
    call: "client.images.generate",
    imports: "import base64\n",
    whole: () => 'with open("image.png", "wb") as file:\n    file.write(base64.b64decode(answer.data[0].b64_json))',
  },
  speech: {
    call: "client.audio.speech.create",
    whole: (body) => `answer.write_to_file("${speechFile(body)}")`,
  },
  embeddings: {
    call: "client.embeddings.create",
    whole: () => "print([len(each.embedding) for each in answer.data])",
  },
};

/** What a program without a client prints of the answer's JSON. */
export const MEMBER: Readonly<Record<Exclude<Style, CalledStyle>, string>> = {
  decisions: "answers",
  systemone: "answers",
  rerank: "results",
};

/** What curl does with the answer: sound into a file, and an image out of its base64. */
export function curlOutput(style: Style, body: CodedBody): { readonly flag: string; readonly pipe: string } {
  if (style === "speech") return { flag: ` -o ${speechFile(body)}`, pipe: "" };
  const pipe = ` \\\n  | grep -o '"b64_json":"[^"]*' | cut -d '"' -f 4 | base64 -d > image.png`;
  return { flag: "", pipe: style === "images" && body.n === undefined ? pipe : "" };
}
