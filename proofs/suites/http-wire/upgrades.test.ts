import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chat } from "../failures/support/styles.ts";
import { CANARY, headOf } from "./support/requests.ts";
import { AUTHORIZATION, startWireScene, type WireScene } from "./support/wire-scene.ts";

/** A connection stays HTTP/1.1, whatever protocol a client asks to upgrade to (docs/rulings.md 167). */

let wire: WireScene;

beforeAll(async () => {
  wire = await startWireScene();
});

afterAll(async () => {
  await wire[Symbol.asyncDispose]();
});

const HANDSHAKE = [
  "host: x",
  "connection: Upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
];

describe("WebSocket is refused with 426", () => {
  test.each(["/v1/responses", "/v1/realtime?model=x", "/v1/models", "/healthz", "/console/api/me", "/", "/v1/nothing"])(
    "on %s, and the connection goes on",
    async (path) => {
      using client = await wire.open();
      client.send(headOf(`GET ${path} HTTP/1.1`, ...HANDSHAKE) + CANARY.toString());
      const { status, headers, text } = await client.answer();
      expect(status).toBe(426);
      expect([headers.get("upgrade"), headers.get("connection")]).toEqual(["HTTP/1.1", "upgrade"]);
      expect(headers.get("x-should-retry")).toBe("false");
      expect(JSON.parse(text)).toMatchObject({ error: { code: "upgrade_required", type: "invalid_request_error" } });
      expect((await client.answer(1)).status).toBe(200);
    },
  );

  test("in style B where the path is of style B", async () => {
    using client = await wire.open();
    client.send(headOf("GET /v1/messages HTTP/1.1", ...HANDSHAKE));
    expect(JSON.parse((await client.answer()).text)).toMatchObject({ type: "error", request_id: expect.any(String) });
  });

  test.each([
    ["in any case, among others", "connection: keep-alive, UPGRADE", "upgrade: h2c, WebSocket"],
    ["in several lines", "connection: keep-alive\r\nconnection: upgrade", "upgrade: h2c\r\nupgrade: websocket"],
  ])("%s", async (_, connection, upgrade) => {
    using client = await wire.open();
    client.send(headOf("GET /v1/responses HTTP/1.1", "host: x", connection, upgrade));
    expect((await client.answer()).status).toBe(426);
  });
});

describe("any other upgrade is ignored", () => {
  test.each([
    ["HTTP/2, as some clients ask for with every request", "connection: Upgrade, HTTP2-Settings", "upgrade: h2c"],
    ["a WebSocket that no connection is asked for", "connection: keep-alive", "upgrade: websocket"],
    ["another word", "connection: upgrade", "upgrade: websocketish"],
  ])("%s", async (_, connection, upgrade) => {
    using client = await wire.open();
    client.send(headOf("GET /healthz HTTP/1.1", "host: x", connection, upgrade));
    expect((await client.answer()).status).toBe(200);
  });

  test("a call is answered in HTTP/1.1, whatever upgrade it asks for", async () => {
    using client = await wire.open();
    client.send(wire.call("acme/echo", { headers: ["connection: Upgrade", "upgrade: websocket"] }));
    expect(chat.textOfWhole(JSON.parse((await client.answer()).text) as Record<string, unknown>)).toContain("hello");
  });

  test("HTTP/1.0 has no upgrades", async () => {
    using client = await wire.open();
    const lines = [...HANDSHAKE, AUTHORIZATION + wire.key.key];
    client.send(headOf("GET /v1/models HTTP/1.0", ...lines));
    expect((await client.answer()).status).toBe(200);
  });
});
