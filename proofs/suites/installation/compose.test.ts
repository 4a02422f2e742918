import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ComposeProject, type ComposeTool, findCompose } from "./support/compose.ts";
import { ROOT } from "./support/npm.ts";

/**
 * The compose files, run whole: images built, secrets made by the document's own commands, gateways, database and proxy up, calls billed through the
 * proxy, everything started anew, nothing lost. Where no engine runs compose files the drill is skipped and says so; proofs/suites/installation/deploy-guides.test.ts runs the
 * commands without one.
 */

const MINUTES_MS = 420_000;
const CREDIT_MICRO = 25_000_000;

const found = await findCompose();
const TOOL: ComposeTool = "lacks" in found ? { engine: "docker", words: [] } : found;
const LACKS = "lacks" in found;
if ("lacks" in found) console.warn(`skipped: the compose files need an engine: ${found.lacks}`);

const page = await Bun.file(join(ROOT, "docs/deploy/docker-compose.md")).text();

/** The words of the document's line that begins so, behind the file's name. */
function wordsOf(file: string, command: string): string[] {
  const beginning = `docker compose --file deploy/compose/${file} ${command}`;
  const line = page.split("\n").find((each) => each.startsWith(beginning));
  if (line === undefined) throw new Error(`the document has no "${beginning}"`);
  return line.split(" ").slice(4);
}

/** The document's commands for the secrets, as they are pasted. */
async function makeSecrets(project: ComposeProject): Promise<void> {
  const [, block = ""] = /^```sh\n(\(\n.*?)^```/ms.exec(page) ?? [];
  const script = block.replaceAll("deploy/compose/secrets", join(project.folder, "secrets"));
  const env = { PATH: process.env.PATH ?? "", OPENAI_API_KEY: "sk-of-the-drill" };
  const child = Bun.spawn(["sh", "-c", script], { cwd: project.folder, env, stdin: "ignore", stderr: "pipe" });
  const [said, status] = await Promise.all([child.stderr.text(), child.exited]);
  expect({ said, status }).toEqual({ said: "", status: 0 });
}

async function untilServed({ url }: ComposeProject): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await Bun.sleep(200);
  }
}

async function call({ url }: ComposeProject, key: string, body: object = {}): Promise<Response> {
  const whole = { model: "acme/echo", messages: [{ role: "user", content: "Hello!" }], ...body };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(whole) });
}

async function expectAnswered(project: ComposeProject, key: string): Promise<void> {
  const answer = await call(project, key);
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 200 });
}

/** Pieces come through the proxy one by one: the first of them is there before the last one is made. */
async function expectStreamed(project: ComposeProject, key: string): Promise<void> {
  const answer = await call(project, key, { model: "acme/long", stream: true });
  expect(answer.status).toBe(200);
  let pieces = 0;
  for await (const _piece of answer.body ?? []) pieces += 1;
  expect(pieces).toBeGreaterThan(5);
}

const balanceOf = async (project: ComposeProject, email: string): Promise<number> =>
  (await project.camino<{ balance_micro: number }>("account", "show", email)).balance_micro;

test("the commands that the drill takes from the document are there", () => {
  for (const file of ["one-node.yaml", "several-nodes.yaml"])
    expect(wordsOf(file, "up")).toEqual(["up", "--build", "--detach"]);
});

describe.skipIf(LACKS).each([
  ["one-node.yaml", 1],
  ["several-nodes.yaml", 2],
] as const)(`%s, by ${TOOL.words.join(" ")}`, (file, gateways) => {
  let project: ComposeProject;
  let key: string;
  const email = "ann@example.com";

  beforeAll(async () => {
    project = await ComposeProject.open(TOOL, file);
    await makeSecrets(project);
    await project.compose(...wordsOf(file, "up"));
    await untilServed(project);
  }, MINUTES_MS);

  afterAll(() => project?.[Symbol.asyncDispose](), MINUTES_MS);

  test(
    "serves through the proxy, bills, streams, and keeps what is an operator's from others",
    async () => {
      expect(await project.containersOf("gateway")).toHaveLength(gateways);
      await project.camino("account", "create", email, "--credit", "25");
      key = (await project.camino<{ key: string }>("key", "create", "--account", email)).key;
      await expectAnswered(project, key);
      await expectStreamed(project, key);
      expect(await balanceOf(project, email)).toBeLessThan(CREDIT_MICRO);
      for (const [path, status] of [
        ["/console/", 200],
        ["/docs/guide/", 200],
        ["/metrics", 404],
        ["/readyz", 404],
      ] as const)
        expect({ path, status: (await fetch(project.url + path)).status }).toEqual({ path, status });
    },
    MINUTES_MS,
  );

  test.skipIf(gateways === 1)(
    "goes on by one gateway while the other ends, which books what it had taken",
    async () => {
      const [first = ""] = await project.containersOf("gateway");
      const stream = expectStreamed(project, key);
      await project.engine("stop", "--time", "130", first);
      await stream;
      expect(await project.engine("inspect", "--format", "{{.State.ExitCode}}", first)).toBe("0");
      await expectAnswered(project, key);
      await project.engine("start", first);
    },
    MINUTES_MS,
  );

  test(
    "has its accounts, keys and balances after everything was taken down and put up again",
    async () => {
      const before = await balanceOf(project, email);
      await project.compose("down", "--timeout", "130");
      await project.compose(...wordsOf(file, "up").filter((word) => word !== "--build"));
      await untilServed(project);
      expect(await balanceOf(project, email)).toBe(before);
      await expectAnswered(project, key);
      expect(await balanceOf(project, email)).toBeLessThan(before);
    },
    MINUTES_MS,
  );
});
