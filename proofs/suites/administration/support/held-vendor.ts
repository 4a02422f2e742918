/** A vendor that answers chat completions with 2 tokens of input and 1 of output, and whose streams wait where a test says so. */
export interface HeldVendor {
  readonly base_url: string;
  /** From now on streams wait after their first piece. */
  hold(): void;
  release(): void;
  /** What the last request came with; null where none came since `forget`. */
  last(): { readonly authorization: string | null; readonly team: string | null } | null;
  forget(): void;
  stop(): Promise<void>;
}

const USAGE = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };

export function startHeldVendor(): HeldVendor {
  let gate: PromiseWithResolvers<void> | null = null;
  let last: { authorization: string | null; team: string | null } | null = null;
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json()) as { stream?: boolean; model: string };
      last = { authorization: request.headers.get("authorization"), team: request.headers.get("x-team") };
      const base = { id: "c1", created: 1, model: body.model };
      if (body.stream !== true) {
        const message = { role: "assistant", content: "ok" };
        const choices = [{ index: 0, message, finish_reason: "stop" }];
        return Response.json({ ...base, object: "chat.completion", choices, usage: USAGE });
      }
      return new Response(streamed({ ...base, object: "chat.completion.chunk" }, gate), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
  return {
    base_url: `http://127.0.0.1:${server.port}/v1`,
    hold: () => {
      gate = Promise.withResolvers();
    },
    release: () => {
      gate?.resolve();
      gate = null;
    },
    last: () => last,
    forget: () => {
      last = null;
    },
    stop: () => server.stop(true),
  };
}

function streamed(base: object, gate: PromiseWithResolvers<void> | null): ReadableStream {
  const event = (choices: object[], more: object = {}) => `data: ${JSON.stringify({ ...base, choices, ...more })}\n\n`;
  return new ReadableStream({
    async start(controller) {
      const encoder = new TextEncoder();
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      write(event([{ index: 0, delta: { role: "assistant", content: "o" }, finish_reason: null }]));
      await gate?.promise;
      write(event([{ index: 0, delta: { content: "k" }, finish_reason: null }]));
      write(event([{ index: 0, delta: {}, finish_reason: "stop" }]));
      write(event([], { usage: USAGE }));
      write("data: [DONE]\n\n");
      controller.close();
    },
  });
}
