import { describe, expect, test } from "bun:test";
import { loadConfiguration, tryLoad } from "../configuration/load-configuration.ts";
import { formatProblem } from "./problem.ts";

const PUBLIC = "console: { public_url: 'https://models.example.com' }\n";

function load(file_text: string, env: Record<string, string> = {}) {
  return loadConfiguration({ file_text, file_name: "camino.yaml", env }).mail;
}

const problemsOf = (file_text: string, env: Record<string, string> = {}) =>
  tryLoad({ file_text, file_name: "camino.yaml", env }).problems.map(formatProblem).join("\n");

describe("mail", () => {
  const SMTPS = "smtps://me:s3cret@mail.example.com:465";
  const origin = "https://models.example.com";
  const CASES: readonly [promise: string, text: string, env: Record<string, string>, read: object | undefined][] = [
    ["is off where nothing says so", PUBLIC, {}, undefined],
    [
      "has a sender and a server",
      `${PUBLIC}mail: { from: "Camino <gateway@example.com>", smtp: "smtps://me:\${PASSWORD}@mail.example.com:465" }`,
      { PASSWORD: "s3cret" },
      { from: "Camino <gateway@example.com>", smtp: SMTPS, origin },
    ],
    [
      "is sent by the public address's host unless it is said",
      PUBLIC,
      { CAMINO_SMTP_URL: SMTPS },
      { from: "Camino <camino@models.example.com>", smtp: SMTPS, origin },
    ],
    [
      "takes the environment's server before the file's",
      `${PUBLIC}mail: { from: ops@example.com, smtp: "smtp://localhost" }`,
      { CAMINO_SMTP_URL: SMTPS },
      { from: "ops@example.com", smtp: SMTPS, origin },
    ],
  ];
  test.each(CASES)("%s", (_promise, text, env, read) => {
    expect(load(text, env)).toEqual(read as ReturnType<typeof load>);
  });

  const WRONG: readonly [promise: string, text: string, env: Record<string, string>, told: RegExp][] = [
    ["needs a server", `${PUBLIC}mail: { from: a@b.example }`, {}, /mail\.smtp/],
    ["needs the public address", `mail: { smtp: "${SMTPS}" }`, {}, /console\.public_url.*mail is to be sent/],
    ["needs the public address also without a file", "", { CAMINO_SMTP_URL: SMTPS }, /console\.public_url/],
    ["knows SMTP alone", `${PUBLIC}mail: { smtp: "https://me:s3cret@example.com" }`, {}, /mail\.smtp/],
    ["knows SMTP alone in the environment", PUBLIC, { CAMINO_SMTP_URL: "me:s3cret@example.com" }, /CAMINO_SMTP_URL/],
    [
      "is what targets of mail wait for, and no fault of theirs",
      `${PUBLIC}alerts: { to: ["mail:ops@example.com"] }`,
      {},
      /^camino\.yaml:2: CAMINO_SMTP_URL \(or mail\.smtp\): found nothing, and alerts\.to has mail addresses; allowed: a mail server/m,
    ],
    [
      "takes no second header",
      `${PUBLIC}mail: { smtp: "${SMTPS}", from: "a@b.example\\nBcc: c@d.example" }`,
      {},
      /mail\.from/,
    ],
  ];
  test.each(WRONG)("%s, and shows no password", (_promise, text, env, told) => {
    const problems = problemsOf(text, env);
    expect(problems).toMatch(told);
    expect(problems).not.toContain("s3cret");
  });
});
