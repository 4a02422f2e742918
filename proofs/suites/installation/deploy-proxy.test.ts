import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { NGINX, nginxIsAtLeast, refusalOfNginx, startNginx, TRUSTING } from "../../support/nginx.ts";

/**
 * What the documents give nginx does in nginx what they say it does, in front of a server that stands for the gateway. Skipped where there is no
 * nginx (`apt-get install nginx`); proofs/suites/snippets and proofs/suites/installation/deploy.test.ts read the files everywhere.
 */

setDefaultTimeout(60_000);

const ROOT = join(import.meta.dir, "../../..");
/** From this version on nginx knows `resolve` in an upstream; the compose files take the stable one, which is newer. */
const KNOWS_RESOLVE = "1.27.3";
const LARGEST_BODY_BYTES = 32 * 1024 * 1024;

async function operationsServer(port: number, gateway: number): Promise<string> {
  const text = await Bun.file(join(ROOT, "docs/operations.md")).text();
  const [, block = ""] = /^```nginx\n(.*?)^```/ms.exec(text) ?? [];
  return replaced(block, {
    "listen 443 ssl;": `listen 127.0.0.1:${port} ssl;`,
    "127.0.0.1:8787": `127.0.0.1:${gateway}`,
  });
}

async function composeServer(port: number, gateway: number): Promise<string> {
  const text = await Bun.file(join(ROOT, "deploy/compose/nginx.conf")).text();
  return replaced(text, {
    "listen 8787;": `listen 127.0.0.1:${port};`,
    "gateway:8787 resolve": `127.0.0.1:${gateway}`,
  });
}

function replaced(text: string, by: Readonly<Record<string, string>>): string {
  let made = text;
  for (const [from, to] of Object.entries(by)) {
    if (!made.includes(from)) throw new Error(`the configuration has no "${from}"`);
    made = made.replaceAll(from, to);
  }
  return made;
}

/** Stands for the gateway: streams two pieces, the second when it is told to, and keeps what it saw. */
function startUpstream() {
  const seen = { headers: new Headers(), body_bytes: 0, left: Promise.withResolvers<void>() };
  let released = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 2 * LARGEST_BODY_BYTES,
    idleTimeout: 0,
    routes: {
      "/stream": (request) => {
        request.signal.addEventListener("abort", () => seen.left.resolve());
        const pieces = async function* (): AsyncGenerator<string> {
          yield "data: first\n\n";
          await released.promise;
          yield "data: last\n\n";
        };
        return new Response(pieces(), { headers: { "content-type": "text/event-stream" } });
      },
    },
    fetch: async (request) => {
      seen.headers = request.headers;
      seen.body_bytes = (await request.arrayBuffer()).byteLength;
      return new Response("served");
    },
  });
  return {
    ...{ seen, server },
    release: (): void => released.resolve(),
    hold: (): void => {
      released = Promise.withResolvers();
    },
  };
}

describe.skipIf(NGINX === null)("behind nginx as", () => {
  describe.each([
    ["docs/operations.md says", operationsServer, "https", 403],
    ["the compose files say", composeServer, "http", 404],
  ])("%s", (_where, write, scheme, for_operators) => {
    const upstream = startUpstream();
    const port = freePort();
    const url = `${scheme}://127.0.0.1:${port}`;
    let nginx: AsyncDisposable;

    beforeAll(async () => {
      nginx = await startNginx(await write(port, upstream.server.port ?? 0), url);
    });
    afterAll(async () => {
      upstream.release();
      await nginx?.[Symbol.asyncDispose]();
      await upstream.server.stop(true);
    });

    test("a stream's first piece arrives before its last is sent", async () => {
      upstream.hold();
      const reader = (await fetch(`${url}/stream`, TRUSTING)).body?.pipeThrough(new TextDecoderStream()).getReader();
      expect(await reader?.read()).toEqual({ done: false, value: "data: first\n\n" });
      upstream.release();
      expect(await reader?.read()).toEqual({ done: false, value: "data: last\n\n" });
    });

    test("a client that leaves is gone for the gateway too", async () => {
      upstream.hold();
      const controller = new AbortController();
      const reader = (await fetch(`${url}/stream`, { signal: controller.signal, ...TRUSTING })).body?.getReader();
      await reader?.read();
      controller.abort();
      await upstream.seen.left.promise;
    });

    test("the gateway hears the client's own address, whatever the client says", async () => {
      const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "gopher", host: "models.example.com" };
      expect(await (await fetch(`${url}/v1/models`, { headers, ...TRUSTING })).text()).toBe("served");
      const { headers: got } = upstream.seen;
      expect([got.get("x-forwarded-for"), got.get("x-forwarded-proto"), got.get("host")]).toEqual([
        ...["127.0.0.1", scheme, "models.example.com"],
      ]);
    });

    test("the largest body that the gateway takes comes through", async () => {
      const body = new Uint8Array(LARGEST_BODY_BYTES);
      expect((await fetch(`${url}/v1/responses`, { method: "POST", body, ...TRUSTING })).status).toBe(200);
      expect(upstream.seen.body_bytes).toBe(LARGEST_BODY_BYTES);
    });

    test.each(["/metrics", "/readyz"])("%s is not for strangers", async (path) => {
      expect((await fetch(`${url}${path}`, TRUSTING)).status).toBe(for_operators);
    });
  });

  test.skipIf(!nginxIsAtLeast(KNOWS_RESOLVE))("the compose files' configuration is accepted as it is", async () => {
    expect(await refusalOfNginx(await Bun.file(join(ROOT, "deploy/compose/nginx.conf")).text())).toBeNull();
  });
});
