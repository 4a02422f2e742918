import { expect } from "bun:test";
import type { Gateway } from "./gateway.ts";
import { undocumented } from "./openapi.ts";

/** The generation endpoints, each with its smallest request. */
export const GENERATION = {
  chat: {
    path: "/v1/chat/completions",
    style: "a",
    body: (model: string, text = "Hello!") => ({ model, messages: [{ role: "user", content: text }] }),
  },
  responses: { path: "/v1/responses", style: "a", body: (model: string, text = "Hello!") => ({ model, input: text }) },
  messages: {
    path: "/v1/messages",
    style: "b",
    body: (model: string, text = "Hello!") => ({
      model,
      max_tokens: 100,
      messages: [{ role: "user", content: text }],
    }),
  },
} as const;

export type GenerationName = keyof typeof GENERATION;
export const GENERATION_NAMES = Object.keys(GENERATION) as GenerationName[];

export type Json = Record<string, unknown>;

/** An answer that was read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; an empty object for other bodies. */
  readonly json: Json;
  /** The body's `error`; an empty object where the body has no error. */
  readonly error: Json;
}

/** Calls a gateway with one key. A header that is null is not sent. */
export class Caller {
  readonly gateway: Pick<Gateway, "url">;
  readonly key: string;

  constructor(gateway: Pick<Gateway, "url">, key: string) {
    this.gateway = gateway;
    this.key = key;
  }

  /** The answer before its body is read. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<Response> {
    const all = {
      authorization: `Bearer ${this.key}`,
      "content-type": "application/json",
      "anthropic-version": path.startsWith("/v1/messages") ? "2023-06-01" : null,
      ...headers,
    };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(this.gateway.url + path, { method, headers: sent, ...(body === undefined ? {} : { body: text }) });
  }

  async post(path: string, body: unknown, headers: Readonly<Record<string, string | null>> = {}): Promise<Answer> {
    return await readAnswer({ method: "POST", path }, await this.send("POST", path, body, headers));
  }

  async get(path: string, headers: Readonly<Record<string, string | null>> = {}): Promise<Answer> {
    return await readAnswer({ method: "GET", path }, await this.send("GET", path, undefined, headers));
  }

  async delete(path: string, headers: Readonly<Record<string, string | null>> = {}): Promise<Answer> {
    return await readAnswer({ method: "DELETE", path }, await this.send("DELETE", path, undefined, headers));
  }

  /** Sends a generation endpoint its smallest request, with additional or other fields. */
  generate(
    name: GenerationName,
    model: string,
    more: Json = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { path, body } = GENERATION[name];
    return this.post(path, { ...body(model), ...more }, headers);
  }
}

/** Reads an answer, and also checks it against the OpenAPI document. */
async function readAnswer(request: { method: string; path: string }, response: Response): Promise<Answer> {
  const text = await response.text();
  const content_type = response.headers.get("content-type")?.split(";")[0] ?? "";
  expect(undocumented(request, { status: response.status, content_type, text })).toEqual([]);
  const json = parsed(text);
  return { status: response.status, headers: response.headers, text, json, error: (json.error ?? {}) as Json };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

/** One event of a stream. */
export interface StreamEvent {
  /** The text of the `event:` line; null without such a line. */
  readonly event: string | null;
  readonly data: Json;
}

/** The events of a whole stream, `[DONE]` and comments left out. Lines may end in LF, CR or both. */
export function eventsOf(text: string): StreamEvent[] {
  return text
    .replaceAll(/\r\n|\r/g, "\n")
    .split("\n\n")
    .map((frame) => frame.split("\n").filter((line) => line !== "" && !line.startsWith(":")))
    .filter((lines) => lines.length > 0 && lines[0] !== "data: [DONE]")
    .map((lines) => {
      const event = lines.find((line) => line.startsWith("event: "))?.slice("event: ".length) ?? null;
      const data = lines.find((line) => line.startsWith("data: "))?.slice("data: ".length) ?? "null";
      return { event, data: JSON.parse(data) as Json };
    });
}
