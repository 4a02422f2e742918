/** What a hook is asked or told. */
export interface HookCall {
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** An operator's own server, which answers as a test says. */
export class HookServer implements AsyncDisposable {
  readonly calls: HookCall[] = [];
  /** Answers a call at `/check`; a promise that never settles is a server that says nothing. */
  answer: (call: HookCall) => Response | Promise<Response> = () => Response.json({ action: "allow" });
  readonly #server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 0, maxRequestBodySize: 2 ** 27 },
    fetch: async (request) => {
      const text = await request.text();
      const body = JSON.parse(text) as Record<string, unknown>;
      const call = { path: new URL(request.url).pathname, headers: request.headers, text, body };
      this.calls.push(call);
      return call.path === "/check" || call.path === "/" ? await this.answer(call) : Response.json({});
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Resolves with the call about a request at a path, once it has come. */
  async about(path: string, request_id: string): Promise<HookCall> {
    for (;;) {
      const found = this.calls.find((call) => call.path === path && call.body.request_id === request_id);
      if (found !== undefined) return found;
      await Bun.sleep(10);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
