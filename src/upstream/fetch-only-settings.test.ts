import { expect, test } from "bun:test";
import { fetchOnlySettings } from "./fetch-only-settings.ts";

const CASES: [Record<string, string>, string[], boolean][] = [
  [{}, [], false],
  [{ HTTP_PROXY: "http://p" }, ["http:"], false],
  [{ http_proxy: "http://p" }, ["http:"], false],
  [{ HTTPS_PROXY: "http://p" }, ["https:"], false],
  [{ https_proxy: "http://p", http_proxy: "" }, ["https:"], false],
  [{ ALL_PROXY: "http://p" }, ["http:", "https:"], false],
  [{ all_proxy: "http://p" }, ["http:", "https:"], false],
  [{ NO_PROXY: "localhost" }, [], false],
  [{ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, [], true],
  [{ NODE_TLS_REJECT_UNAUTHORIZED: "1" }, [], false],
];

test.each(CASES)("the environment %j", (env, proxied, unverified) => {
  expect(fetchOnlySettings(env)).toEqual({ proxied, unverified });
});
