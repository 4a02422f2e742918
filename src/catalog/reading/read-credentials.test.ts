import { describe, expect, test } from "bun:test";
import { loadConfiguration } from "../configuration/load-configuration.ts";

const load = (file_text: string, env: Record<string, string> = {}) =>
  loadConfiguration({ file_text, file_name: "camino.yaml", env });

const KEYS = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "secret", AWS_REGION: "eu-north-1" };
const SIGNED = { access_key_id: "AKID", secret_access_key: "secret", session_token: null, region: "eu-north-1" };
const CONVERSE = { protocol: "bedrock-converse", base_url: "https://bedrock-runtime.eu-north-1.amazonaws.com" };

describe("Amazon Bedrock", () => {
  const bedrock = (file: string, env: Record<string, string> = {}) => load(file, env).vendors.get("amazon-bedrock");

  test("is reached with its key where there is one", () => {
    const vendor = bedrock("", { ...KEYS, AWS_BEARER_TOKEN_BEDROCK: "bedrock-key" });
    expect(vendor).toMatchObject({ api_key: "bedrock-key", endpoints: [{ ...CONVERSE, credential: "bearer" }] });
    expect(vendor).not.toHaveProperty("aws");
  });

  test("is signed with AWS's usual variables where there is none", () => {
    expect(bedrock("", KEYS)).toMatchObject({
      api_key: null,
      aws: SIGNED,
      endpoints: [{ ...CONVERSE, credential: "sigv4" }],
    });
    expect(bedrock("", { ...KEYS, AWS_SESSION_TOKEN: "t" })).toMatchObject({ aws: { ...SIGNED, session_token: "t" } });
    expect(bedrock("vendors: { amazon-bedrock: { timeouts: { total: 1m } } }", KEYS)).toMatchObject({ aws: SIGNED });
  });

  test("is not there without all of them", () => {
    for (const name of Object.keys(KEYS)) expect(bedrock("", { ...KEYS, [name]: "" })).toBeUndefined();
    expect(() => load("vendors: { amazon-bedrock: {} }", { AWS_REGION: "x" })).toThrow(
      "allowed: a credential, or AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY and AWS_REGION set",
    );
  });

  test("has Anthropic's own protocol beside it", () => {
    expect(load("", KEYS).vendors.get("amazon-bedrock-anthropic")).toMatchObject({
      endpoints: [{ protocol: "messages", base_url: `${CONVERSE.base_url}/anthropic/v1`, credential: "sigv4" }],
    });
  });
});

describe("a vendor of the file", () => {
  test("may be signed for, whatever it speaks", () => {
    const file = `vendors: { house: { protocol: [bedrock-converse, messages], base_url: "http://127.0.0.1:9",
      aws: { access_key_id: "\${ID}", secret_access_key: secret, region: eu-north-1, session_token: t } } }`;
    expect(load(file, { ID: "AKID" }).vendors.get("house")).toMatchObject({
      aws: { ...SIGNED, session_token: "t" },
      endpoints: [{ credential: "sigv4" }, { credential: "sigv4" }],
    });
  });

  test("may be reached with a service account", () => {
    const file = `vendors: { house: { protocol: gemini, base_url: "http://127.0.0.1:9", google_service_account: ./key.json } }`;
    expect(load(file).vendors.get("house")).toMatchObject({
      api_key: "./key.json",
      endpoints: [{ protocol: "gemini", credential: "google-service-account" }],
    });
  });

  test("speaks Gemini with Google's header", () => {
    const file = `vendors: { house: { protocol: gemini, base_url: "http://127.0.0.1:9", api_key: k } }`;
    expect(load(file).vendors.get("house")?.endpoints).toMatchObject([{ credential: "x-goog-api-key" }]);
  });

  test.each<[string, string]>([
    ["aws: { access_key_id: a, region: r }", "vendors.house.aws.secret_access_key: found nothing"],
    ["aws: { access_key_id: a, secret_access_key: b }", "vendors.house.aws.region: found nothing"],
    ["aws: { acces_key_id: a, secret_access_key: b, region: r }", 'did you mean "access_key_id"?'],
    ["aws: yes", "vendors.house.aws"],
    [
      "api_key: k, aws: { access_key_id: a, secret_access_key: b, region: r }",
      "found aws beside api_key; allowed: one credential",
    ],
  ])("with %s is told what is wrong", (credential, problem) => {
    const file = `vendors: { house: { protocol: gemini, base_url: "http://127.0.0.1:9", ${credential} } }`;
    expect(() => load(file)).toThrow(problem);
  });
});

describe("Vertex AI", () => {
  const env = { GOOGLE_APPLICATION_CREDENTIALS: "/key.json", GOOGLE_VERTEX_PROJECT: "acme-1" };
  const address = "https://aiplatform.googleapis.com/v1/projects/acme-1/locations/global/publishers";

  test("is reached with a service account, without ids of calls", () => {
    expect(load("", env).vendors.get("google-vertex")).toMatchObject({
      api_key: "/key.json",
      quirks: { no_call_ids: true },
      endpoints: [{ protocol: "gemini", base_url: `${address}/google`, credential: "google-service-account" }],
    });
  });

  test.each(["api_key", "google_service_account"])("refuses a key of another kind as %s", (member) => {
    const file = `vendors: { google-vertex: { ${member}: AIzaSyB } }`;
    expect(() => load(file, { GOOGLE_VERTEX_PROJECT: "acme-1" })).toThrow(
      /google-vertex\.\w+: found a credential of another kind; allowed: the key file of a service account/,
    );
  });

  test("serves Anthropic's models in its own dialect, also at another address", () => {
    const usual = { protocol: "messages", credential: "google-service-account", dialect: "vertex" };
    expect(load("", env).vendors.get("google-vertex-anthropic")).toMatchObject({
      endpoints: [{ ...usual, base_url: `${address}/anthropic` }],
    });
    const file = "vendors: { google-vertex-anthropic: { base_url: https://vertex.example/v1 } }";
    expect(load(file, env).vendors.get("google-vertex-anthropic")).toMatchObject({
      endpoints: [{ ...usual, base_url: "https://vertex.example/v1" }],
    });
  });
});

describe("Google", () => {
  test("is reached in its own protocol, and in chat completions by those who speak it", () => {
    expect(load("", { GEMINI_API_KEY: "k" }).vendors.get("google")?.endpoints).toMatchObject([
      { protocol: "gemini", credential: "x-goog-api-key" },
      { protocol: "chat-completions", credential: "bearer" },
    ]);
  });
});
