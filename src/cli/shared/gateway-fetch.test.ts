import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";

/** What a program sends through the proxy that the environment names, in a process of its own: the runtime reads these variables at its start. */
const PROGRAM = `
  import { gatewayFetch } from ${JSON.stringify(join(import.meta.dir, "gateway-fetch.ts"))};
  const send = gatewayFetch({ fetch });
  for (const url of process.argv.slice(1)) {
    const answer = await send(url, { headers: { authorization: "Bearer secret" } }).catch(() => null);
    console.log(answer === null ? "none" : await answer.text());
  }`;

let proxy: Bun.Server<unknown>;
let gateway: Bun.Server<unknown>;
const through: string[] = [];

beforeAll(() => {
  proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      through.push(request.url);
      return new Response("the proxy's");
    },
  });
  gateway = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("the gateway's") });
});
afterAll(() => Promise.all([proxy.stop(true), gateway.stop(true)]));

test.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY"])(
  "the token never goes to %s for a loopback address, and does for another",
  async (name) => {
    through.length = 0;
    const local = ["127.0.0.1", "localhost"].map((host) => `http://${host}:${gateway.port}/console/api/accounts`);
    const child = Bun.spawn(
      [process.execPath, "-e", PROGRAM, "--", ...local, "http://gateway.example/console/api/accounts"],
      {
        env: { PATH: process.env.PATH ?? "", BUN_BE_BUN: "1", [name]: proxy.url.href },
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const [told] = await Promise.all([child.stdout.text(), child.exited]);
    expect(told.trim().split("\n")).toEqual(["the gateway's", "the gateway's", "the proxy's"]);
    expect(through).toEqual(["http://gateway.example/console/api/accounts"]);
  },
);
