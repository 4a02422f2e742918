import { describe, expect, test } from "bun:test";
import { DEFAULT_CONSOLE_SETTINGS } from "../../core/catalog/console-settings.ts";
import { cookie, NO_VISIT, readVisit } from "./visit.ts";

const visit = (headers: Record<string, string>, settings = {}) =>
  readVisit(
    new Headers({ host: "127.0.0.1:8787", ...headers }),
    "198.51.100.1",
    { ...DEFAULT_CONSOLE_SETTINGS, ...settings },
    "1234abcd",
  );

describe("the origin at which browsers find the console", () => {
  const CASES: [headers: Record<string, string>, settings: object, origin: string][] = [
    [{}, {}, "http://127.0.0.1:8787"],
    [{ host: "models.example" }, {}, "http://models.example"],
    [{ host: "models.example", "x-forwarded-proto": "https" }, {}, "https://models.example"],
    [{ "x-forwarded-host": "models.example", "x-forwarded-proto": "https, http" }, {}, "https://models.example"],
    [{ "x-forwarded-proto": "javascript" }, {}, "http://127.0.0.1:8787"],
    [{ host: "a b" }, {}, "http://localhost"],
    [{ host: "evil.example" }, { public_url: "https://models.example" }, "https://models.example"],
  ];
  for (const [headers, settings, origin] of CASES) {
    test(`${JSON.stringify(headers)} with ${JSON.stringify(settings)}: ${origin}`, () => {
      expect(visit(headers, settings).origin).toBe(origin);
    });
  }
});

describe("the client's address", () => {
  const forwarded = { "x-forwarded-for": "10.9.9.9, 203.0.113.7" };

  test("is the connection's peer, whatever a header claims", () => {
    expect(visit(forwarded).address).toBe("198.51.100.1");
  });

  test("is the one that the proxy saw, where a proxy is configured", () => {
    expect(visit(forwarded, { behind_proxy: true }).address).toBe("203.0.113.7");
    expect(visit({}, { behind_proxy: true }).address).toBe("198.51.100.1");
  });
});

test("a page is the console's own only if its browser says so", () => {
  expect(visit({}).site).toBe("unknown");
  expect(visit({ origin: "http://127.0.0.1:8787" }).site).toBe("own");
  expect(visit({ origin: "http://127.0.0.1:9999" }).site).toBe("other");
  expect(visit({ origin: "http://127.0.0.1:8787", "sec-fetch-site": "cross-site" }).site).toBe("other");
  const behind = { origin: "https://models.example", "sec-fetch-site": "same-origin" };
  expect(visit(behind).site).toBe("own");
});

test("cookies are limited to https where the console is reached by https", () => {
  const parts = { name: "camino_session", value: "abc", max_age_s: 60 };
  expect(cookie(NO_VISIT, parts)).toBe("camino_session=abc; Path=/console; Max-Age=60; HttpOnly; SameSite=Lax");
  expect(cookie({ origin: "https://models.example", gateway: "" }, { ...parts, path: "/console/api" })).toBe(
    "__Host-camino_session=abc; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax",
  );
  expect(visit({ cookie: "a=b; camino_session_1234abcd=abc; c" }).session_token).toBe("abc");
});

test("gateways on one host leave each other's sessions alone: a cookie's name has a mark of its gateway", () => {
  const parts = { name: "camino_session", value: "abc", max_age_s: 60 };
  const place = { origin: "https://models.example", gateway: "1234abcd" };
  expect(cookie(place, parts)).toStartWith("__Host-camino_session_1234abcd=abc;");
  expect(cookie({ ...place, origin: "http://localhost:8787" }, parts)).toStartWith("camino_session_1234abcd=abc;");
  expect(visit({ cookie: "camino_session_5678abcd=other; camino_session_1234abcd=own" }).session_token).toBe("own");
  expect(visit({ cookie: "camino_session_5678abcd=other" }).session_token).toBeNull();
});

test("under https only a cookie is read that this very host has set over https", () => {
  const planted = "camino_session_1234abcd=a neighbor's; camino_browser_1234abcd=x; camino_sign_in_1234abcd=y";
  const behind = { "x-forwarded-proto": "https", host: "models.example" };
  expect(visit({ ...behind, cookie: planted })).toMatchObject({
    session_token: null,
    browser_token: null,
    flow_token: null,
  });
  expect(visit({ ...behind, cookie: `__Host-camino_session_1234abcd=own; ${planted}` }).session_token).toBe("own");
  expect(visit({ cookie: planted }, { public_url: "https://models.example" }).session_token).toBeNull();
});
