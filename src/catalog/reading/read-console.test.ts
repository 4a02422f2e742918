import { expect, test } from "bun:test";
import { loadConfiguration, tryLoad } from "../configuration/load-configuration.ts";
import { formatProblem } from "./problem.ts";

const load = (text: string, env: Record<string, string> = {}) =>
  loadConfiguration({ file_text: text, file_name: "camino.yaml", env });

const problemsOf = (file_text: string) =>
  tryLoad({ file_text, file_name: "camino.yaml", env: {} }).problems.map(formatProblem);

const provider = (more = "") =>
  `console: { oidc: { corp: { issuer: https://id.example, client_id: a, client_secret: b${more} } } }`;

test("the console's settings are read, with secrets from the environment and defaults for the rest", () => {
  const text = [
    "console:",
    "  public_url: https://models.example.com/",
    "  behind_proxy: true",
    "  oidc:",
    "    google:",
    "      name: Google",
    "      issuer: https://accounts.google.com",
    "      client_id: an-id",
    "      client_secret: ${GOOGLE_SECRET}",
    "      allowed_domains: [example.com, example.org]",
    "      default_role: administrator",
    "    plain: { issuer: http://127.0.0.1:9000, client_id: a, client_secret: b }",
  ].join("\n");
  expect(load(text, { GOOGLE_SECRET: "hush" }).console).toEqual({
    public_url: "https://models.example.com",
    behind_proxy: true,
    oidc: [
      {
        id: "google",
        name: "Google",
        issuer: "https://accounts.google.com",
        client_id: "an-id",
        client_secret: "hush",
        allowed_domains: ["example.com", "example.org"],
        default_role: "administrator",
      },
      {
        id: "plain",
        name: "plain",
        issuer: "http://127.0.0.1:9000",
        client_id: "a",
        client_secret: "b",
        allowed_domains: [],
        default_role: "member",
      },
    ],
  });
  expect(load("currency: USD").console).toBeUndefined();
});

const CASES: [text: string, problem: string][] = [
  ["console: { url: x }", 'camino.yaml:1: console.url: found the unknown key "url"'],
  ["console: { public_url: models.example.com }", 'console.public_url: found "models.example.com"; allowed: where'],
  ["console: { public_url: https://a.example/console }", 'console.public_url: found "https://a.example/console"'],
  ["console: { behind_proxy: maybe }", 'console.behind_proxy: found "maybe"; allowed: true or false'],
  ["console:\n  oidc: { corp: {} }", "camino.yaml:2: console.oidc.corp.issuer: found nothing"],
  ["console: { oidc: { Corp: { issuer: https://a.example } } }", 'console.oidc.Corp: found "Corp"; allowed: a name of'],
  [provider(", default_role: owner"), 'default_role: found "owner"; allowed: member, administrator'],
  [provider(", allowed_domains: ['@a.example']"), "allowed: e-mail domains such as example.com, without @"],
  [
    provider().replace("https://id.example", "http://id.example"),
    'issuer: found "http://id.example"; allowed: an https',
  ],
  [provider().replace("secret: b", "secret: '${NONE}'"), "client_secret: found ${NONE}, which is not set in the"],
];

for (const [text, problem] of CASES) {
  test(`${JSON.stringify(text)}: ${problem}`, () => {
    expect(problemsOf(text).join("\n")).toContain(problem);
  });
}

test("a client secret is never shown, whatever is wrong with it", () => {
  for (const value of ["[hush]", "{ hush: 1 }", '"  "']) {
    const shown = problemsOf(provider().replace("client_secret: b", `client_secret: ${value}`)).join("\n");
    expect(shown).toContain("client_secret");
    expect(shown).not.toContain("hush");
  }
});

test("whom people ask is one line of at most 200 characters", () => {
  expect(load("console: { contact: ' billing@example.com ' }").console?.contact).toBe("billing@example.com");
  for (const text of ["' '", '"two\\nlines"', "x".repeat(201)])
    expect(problemsOf(`console: { contact: ${text} }`)[0]).toContain("whom people ask for credit");
});
