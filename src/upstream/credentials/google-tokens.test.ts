import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { GoogleTokens } from "./google-tokens.ts";

/** A stand-in for Google's token endpoint: it checks the assertion and gives a new token for each request. */
interface TokenServer extends AsyncDisposable {
  readonly uri: string;
  given: number;
  /** The answer in place of a token; null for a token. */
  refusal: (() => Response) | null;
}

let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let private_key: string;
let directory: string;

beforeAll(async () => {
  keys = await generateKeyPair("RS256", { extractable: true });
  private_key = await exportPKCS8(keys.privateKey);
  directory = await mkdtemp(join(tmpdir(), "camino-test-"));
});
afterAll(() => rm(directory, { recursive: true }));

function tokenServer(now_ms: () => number): TokenServer {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => answer(request) });
  const uri = `http://127.0.0.1:${server.port}/token`;
  const state: TokenServer = { uri, given: 0, refusal: null, [Symbol.asyncDispose]: () => server.stop(true) };
  return state;

  async function answer(request: Request): Promise<Response> {
    if (state.refusal !== null) return state.refusal();
    const form = new URLSearchParams(await request.text());
    const verified = await jwtVerify(form.get("assertion") ?? "", keys.publicKey, {
      issuer: "gateway@acme.iam.gserviceaccount.com",
      audience: uri,
      algorithms: ["RS256"],
      currentDate: new Date(now_ms()),
    }).catch(() => null);
    if (verified === null || form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") {
      return Response.json({ error: "invalid_grant", error_description: "Invalid JWT Signature." }, { status: 400 });
    }
    if (verified.payload.scope !== "https://www.googleapis.com/auth/cloud-platform")
      return new Response(null, { status: 403 });
    if (verified.protectedHeader.kid !== "key-1") return new Response(null, { status: 403 });
    state.given += 1;
    return Response.json({ access_token: `ya29.token-${state.given}`, expires_in: 3599, token_type: "Bearer" });
  }
}

const clockAt = (start_ms: number) => {
  const clock = { now: start_ms, now_ms: () => clock.now, monotonic_ms: () => 0 };
  return clock;
};

function accountOf(token_uri: string, change: object = {}): string {
  return JSON.stringify({
    type: "service_account",
    client_email: "gateway@acme.iam.gserviceaccount.com",
    private_key,
    private_key_id: "key-1",
    token_uri,
    ...change,
  });
}

describe("the tokens of a service account", () => {
  test("are exchanged for a signed assertion, once for all calls that wait", async () => {
    const clock = clockAt(1_800_000_000_000);
    await using server = tokenServer(clock.now_ms);
    const tokens = new GoogleTokens(accountOf(server.uri), clock);
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.current()));
    expect(new Set(all)).toEqual(new Set(["ya29.token-1"]));
    expect(server.given).toBe(1);
  });

  test("are used until shortly before they expire", async () => {
    const clock = clockAt(1_800_000_000_000);
    await using server = tokenServer(clock.now_ms);
    const tokens = new GoogleTokens(accountOf(server.uri), clock);
    expect(await tokens.current()).toBe("ya29.token-1");
    clock.now += 3_298_000;
    expect(await tokens.current()).toBe("ya29.token-1");
    clock.now += 1000;
    expect(await tokens.current()).toBe("ya29.token-2");
  });

  test("can belong to an account in a file", async () => {
    const clock = clockAt(1_800_000_000_000);
    await using server = tokenServer(clock.now_ms);
    const path = join(directory, "account.json");
    await Bun.write(path, accountOf(server.uri));
    expect(await new GoogleTokens(path, clock).current()).toBe("ya29.token-1");
  });

  test("that were refused are requested again, and the error has the reason but not the key", async () => {
    const clock = clockAt(1_800_000_000_000);
    await using server = tokenServer(clock.now_ms);
    const tokens = new GoogleTokens(accountOf(server.uri), clock);
    server.refusal = () =>
      Response.json({ error: "invalid_grant", error_description: "Invalid JWT Signature." }, { status: 400 });
    const refused = await tokens.current().catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      fault: "credential",
      message: "Google gave no token (status 400, invalid_grant: Invalid JWT Signature.)",
    });
    server.refusal = () => new Response("<html></html>");
    expect(await tokens.current().catch((thrown: unknown) => thrown)).toHaveProperty("fault", "credential");
    server.refusal = null;
    expect(await tokens.current()).toBe("ya29.token-1");
  });

  test.each<[string, () => string, RegExp]>([
    [
      "of another type",
      () => accountOf("http://127.0.0.1:1", { type: "authorized_user" }),
      /"authorized_user"; allowed: "service_account"/,
    ],
    ["without an address", () => accountOf("http://127.0.0.1:1", { client_email: undefined }), /lacks client_email/],
    ["with a broken private key", () => accountOf("http://127.0.0.1:1", { private_key: "-----BEGIN" }), /cannot sign/],
    ["that is not JSON", () => "{", /is not JSON/],
    ["in a missing file", () => join(directory, "nowhere.json"), /cannot be read from .*nowhere\.json/],
    ["whose token endpoint is unreachable", () => accountOf("http://127.0.0.1:1/token"), /no token could be had from/],
  ])("of an account %s cannot be had", async (_what, account, message) => {
    const refused = await new GoogleTokens(account()).current().catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ fault: "credential", message: expect.stringMatching(message) });
    expect(String(refused)).not.toContain("PRIVATE KEY");
  });
});
