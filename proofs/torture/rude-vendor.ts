import type { Socket } from "bun";
import type { TrueUsage } from "./history.ts";

/**
 * A vendor that speaks chat completions over raw sockets and breaks HTTP's manners, which a server library would not do:
 * it answers before it has read the request, sends a body with status 204, or closes the connection.
 */
export interface RudeVendor {
  readonly base_url: string;
  /** Every request, once its body has come. */
  readonly requests: readonly RudeRequest[];
  forget(): void;
  stop(): void;
}

export interface RudeRequest {
  readonly model: string;
  readonly text: string;
  readonly status: number;
  readonly usage: TrueUsage | null;
}

interface Reading {
  gathered: string;
  answered: boolean;
}

const USAGE: TrueUsage = { input: 7, cache_read: 0, cache_write: 0, output: 3, reasoning: 0 };
const TEXT = "Told before it was asked.";

export function startRudeVendor(): RudeVendor {
  const requests: RudeRequest[] = [];
  const server = Bun.listen<Reading>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = { gathered: "", answered: false };
      },
      data: (socket, chunk) => {
        socket.data.gathered += chunk.toString();
        take(socket, requests);
      },
      error: () => {},
    },
  });
  return {
    base_url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    forget: () => void requests.splice(0),
    stop: () => server.stop(true),
  };
}

/** Answers as soon as the model's name is there, and notes the request when all of it is. */
function take(socket: Socket<Reading>, requests: RudeRequest[]): void {
  const { data } = socket;
  const head_end = data.gathered.indexOf("\r\n\r\n");
  if (head_end < 0) return;
  const body = data.gathered.slice(head_end + 4);
  const length = Number(/^content-length: *(\d+)/im.exec(data.gathered)?.[1] ?? 0);
  const model = /"model": *"([^"]+)"/.exec(body)?.[1];
  if (model !== undefined && !data.answered) {
    data.answered = true;
    socket.write(answerOf(model, body));
    if (model === "gone") socket.end();
  }
  if (Buffer.byteLength(body) < length) return;
  const answers = model === "early";
  const status = model === "gone" ? 0 : answers ? 200 : 204;
  requests.push({ model: model ?? "", text: body, status, usage: answers ? USAGE : null });
  socket.data = { gathered: "", answered: false };
  if (model === "no-content") socket.end();
}

function answerOf(model: string, body: string): string {
  if (model === "gone") return "";
  const usage = {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  };
  const head = { id: "chatcmpl-rude", created: 1_790_000_000, model };
  const finish_reason = "stop";
  if (model === "early" && /"stream": *true/.test(body)) {
    const object = "chat.completion.chunk";
    const chunks = [
      { ...head, object, choices: [{ index: 0, delta: { role: "assistant", content: TEXT }, finish_reason: null }] },
      { ...head, object, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...head, object, choices: [], usage },
    ];
    const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
    return withHead(200, "text/event-stream", frames.join(""));
  }
  const choices = [{ index: 0, message: { role: "assistant", content: TEXT }, finish_reason }];
  const whole = JSON.stringify({ ...head, object: "chat.completion", choices, usage });
  return withHead(model === "early" ? 200 : 204, "application/json", whole);
}

function withHead(status: number, content_type: string, body: string): string {
  return `HTTP/1.1 ${status} X\r\ncontent-type: ${content_type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
