import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { run } from "../../../scripts/release/run.ts";
import { freePort } from "../../support/free-port.ts";
import { ROOT } from "./support/npm.ts";

/**
 * The image, built and run as docs/deploy/docker-compose.md says, where a container engine answers: Docker, or Podman, which has its words. It
 * needs registries of images and of npm. Where no engine answers, `npm run first-call -- image` runs the Dockerfile's steps without one.
 */

const ENGINE = ["docker", "podman"].find((name) => Bun.which(name) !== null && Bun.spawnSync([name, "info"]).success);
const MINUTES_MS = 420_000;
const NAME = `camino-drill-${process.pid}`;
const IMAGE = `${NAME}:local`;
const CREDIT_MICRO = 25_000_000;

/** A container of the drill. */
interface Container {
  readonly id: string;
  readonly url: string;
}

/** What the engine prints. The image's health check is no part of the form that Podman builds by itself. */
async function engine(...words: string[]): Promise<string> {
  const { status, stdout, stderr } = await run([ENGINE ?? "docker", ...words], ROOT, { BUILDAH_FORMAT: "docker" });
  if (status !== 0) throw new Error(`${ENGINE} ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** The words of the document's commands that begin so, behind `docker`, with this drill's image and volume in the place of the reader's. */
async function wordsOf(command: string): Promise<string[]> {
  const text = await Bun.file(join(ROOT, "docs/deploy/docker-compose.md")).text();
  const line = text.split("\n").find((each) => each.startsWith(`docker ${command} `));
  if (line === undefined) throw new Error(`the document has no "docker ${command}"`);
  const words = line.split(" ").slice(1);
  return words.map((word) => word.replace("camino:local", IMAGE).replace(/^camino:(?=\/)/, `${NAME}:`));
}

/** Starts the gateway as the document says, in the background and at a port that is free here, and waits until its own health check is content. */
async function start(...serve: string[]): Promise<Container> {
  const port = freePort();
  const [command = "", ...words] = await wordsOf("run");
  const published = words.map((word) => word.replace("127.0.0.1:8787:8787", `127.0.0.1:${port}:${port}`));
  const confined = ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
  const settings = ["--detach", "--label", NAME, "--env", `CAMINO_PORT=${port}`, ...confined];
  const id = await engine(command, ...settings, ...published, ...serve);
  const check = JSON.parse(await engine("inspect", "--format", "{{json .Config.Healthcheck.Test}}", id)) as string[];
  while ((await run([ENGINE ?? "", "exec", id, ...check.slice(1)], ROOT)).status !== 0) {
    const running = await engine("inspect", "--format", "{{.State.Running}}", id);
    if (running !== "true") throw new Error(`the container ended before it served:\n${await engine("logs", id)}`);
    await Bun.sleep(100);
  }
  return { id, url: `http://127.0.0.1:${port}` };
}

/** Ends it as `docker stop` does, and resolves with the gateway's status. */
async function stop({ id }: Container): Promise<number> {
  await engine("stop", id);
  return Number(await engine("inspect", "--format", "{{.State.ExitCode}}", id));
}

const camino = async <Printed>({ id }: Container, ...words: string[]): Promise<Printed> =>
  JSON.parse(await engine("exec", id, "camino", ...words, "--json")) as Printed;

async function call({ url }: Container, key: string): Promise<number> {
  const body = JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello!" }] });
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  await answer.text();
  return answer.status;
}

describe.skipIf(ENGINE === undefined)(`the image, by ${ENGINE}`, () => {
  beforeAll(async () => {
    await engine(...(await wordsOf("build")));
  }, MINUTES_MS);

  afterAll(async () => {
    const left = (await engine("ps", "--all", "--quiet", "--filter", `label=${NAME}`)).split("\n").filter(Boolean);
    for (const id of left) await engine("rm", "--force", id);
    await engine("volume", "rm", "--force", NAME);
    await run([ENGINE ?? "", "rmi", "--force", IMAGE], ROOT);
  }, MINUTES_MS);

  test("says its version, and has no Node.js and no npm", async () => {
    const { version } = await Bun.file(join(ROOT, "package.json")).json();
    expect(await engine("run", "--rm", IMAGE, "--version")).toBe(version);
    const words = ["--entrypoint", "sh", IMAGE, "-c", "command -v node npm || echo neither"];
    expect(await engine("run", "--rm", ...words)).toBe("neither");
  });

  test(
    "serves as a user of its own on a file system that is read-only, bills, and ends in good order with its data in the volume",
    async () => {
      const first = await start();
      const inside =
        "id -u; id -g; grep -q ' / [^ ]* ro' /proc/mounts && echo read-only; touch /data/mine && rm /data/mine";
      expect((await engine("exec", first.id, "sh", "-c", inside)).split("\n")).toEqual(["10001", "10001", "read-only"]);
      await camino(first, "account", "create", "ann@example.com", "--credit", "25");
      const { key } = await camino<{ key: string }>(first, "key", "create", "--account", "ann@example.com");
      expect(await call(first, key)).toBe(200);
      for (const path of ["/console/", "/docs/guide/", "/openapi.json", "/readyz"])
        expect({ path, status: (await fetch(first.url + path)).status }).toEqual({ path, status: 200 });
      const before = await camino<{ balance_micro: number }>(first, "account", "show", "ann@example.com");
      expect(before.balance_micro).toBeLessThan(CREDIT_MICRO);
      expect(await stop(first)).toBe(0);

      const next = await start();
      expect(await camino<object>(next, "account", "show", "ann@example.com")).toMatchObject({
        balance_micro: before.balance_micro,
      });
      expect(await call(next, key)).toBe(200);
      expect(await stop(next)).toBe(0);
    },
    MINUTES_MS,
  );

  test(
    "serves as two workers",
    async () => {
      const gateway = await start("serve", "--workers", "2");
      const email = "bo@example.com";
      await camino(gateway, "account", "create", email, "--credit", "25");
      const { key } = await camino<{ key: string }>(gateway, "key", "create", "--account", email);
      expect(await call(gateway, key)).toBe(200);
      expect(await stop(gateway)).toBe(0);
    },
    MINUTES_MS,
  );
});

test("the commands that the drill takes from the document are there", async () => {
  expect(await wordsOf("build")).toEqual(["build", "--tag", IMAGE, "."]);
  expect(await wordsOf("run")).toEqual(expect.arrayContaining(["--read-only", `${NAME}:/data`, IMAGE]));
});
