import { createHmac } from "node:crypto";

/** A webhook as a receiver got it. */
export interface TakenWebhook {
  readonly id: string;
  readonly body: string;
  readonly event: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
  /** Whether the signature is that of a secret, over the very bytes that came. */
  isSignedWith(secret: string): boolean;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** Everything that arrived, also what was then refused. */
  readonly taken: TakenWebhook[];
  /** What it answers from now on: a status, or silence. */
  behave(how: number | "silent"): void;
  /** Resolves with the first of a type that has come. */
  first(type: string): Promise<TakenWebhook>;
}

/** A real HTTP server that takes webhooks. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const taken: TakenWebhook[] = [];
  let behavior: number | "silent" = 204;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const header = (name: string): string => request.headers.get(name) ?? "";
      const [id, seconds, signature] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
      taken.push({
        id,
        body,
        event: JSON.parse(body),
        isSignedWith(secret) {
          const key = Buffer.from(secret.replace("whsec_", ""), "base64");
          return signature === `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
        },
      });
      if (behavior === "silent") return await new Promise<Response>(() => {});
      const headers = behavior >= 300 && behavior < 400 ? { location: "http://169.254.169.254/latest" } : undefined;
      return new Response(null, { status: behavior, ...(headers && { headers }) });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    taken,
    behave: (how) => {
      behavior = how;
    },
    async first(type) {
      for (;;) {
        const found = taken.find(({ event }) => event.type === type);
        if (found !== undefined) return found;
        await Bun.sleep(20);
      }
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
