import type { Protocol } from "../../src/core/endpoints.ts";

/** A plain request in a protocol: its path, its headers and body, and how to read the answer's text. */
export interface PlainRequest {
  readonly protocol: Protocol;
  readonly path: string;
  readonly headers: Record<string, string>;
  body(model: string, stream: boolean, text?: string): Record<string, unknown>;
}

const TEXT = "one two three four five six";

export const PLAIN_REQUESTS: readonly PlainRequest[] = [
  {
    protocol: "chat-completions",
    path: "/v1/chat/completions",
    headers: {},
    body: (model, stream, text = TEXT) => ({
      model,
      stream,
      messages: [{ role: "user", content: text }],
      ...(stream ? { stream_options: { include_usage: true } } : {}),
    }),
  },
  {
    protocol: "responses",
    path: "/v1/responses",
    headers: {},
    body: (model, stream, text = TEXT) => ({ model, stream, input: text }),
  },
  {
    protocol: "messages",
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: (model, stream, text = TEXT) => ({
      model,
      stream,
      max_tokens: 8192,
      messages: [{ role: "user", content: text }],
    }),
  },
];

/** Sends a plain request and does not follow redirects. */
export function send(url: string, request: PlainRequest, model: string, stream: boolean): Promise<Response> {
  return fetch(`${url}${request.path}`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/json", ...request.headers },
    body: JSON.stringify(request.body(model, stream)),
  });
}
