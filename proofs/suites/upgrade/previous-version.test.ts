import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runToEnd } from "../installation/support/npm.ts";
import { previousVersion } from "./support/old-version.ts";

/** Which version an update is tried from: a clone of its own is tagged here, one step after the other. */

let clone: string;
const git = (...words: string[]): Promise<string> =>
  runToEnd(["git", "-c", "user.name=A Test", "-c", "user.email=test@example.com", ...words], clone);

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), "camino-tags-"));
});
afterAll(() => rm(clone, { recursive: true, force: true }));

test("is the last tag, before the first tag the last commit, and none where there is no clone", async () => {
  expect(await previousVersion("", clone)).toBeNull();
  await git("init", "--quiet");
  await git("commit", "--quiet", "--allow-empty", "--message", "one");
  const first = (await git("rev-parse", "HEAD")).trim();
  expect(await previousVersion("", clone)).toEqual({ commit: first, name: "HEAD, as no version is tagged yet" });
  await git("tag", "v1.0.0");
  await git("commit", "--quiet", "--allow-empty", "--message", "two");
  expect(await previousVersion("", clone)).toEqual({ commit: "v1.0.0", name: "v1.0.0" });
  await git("tag", "--annotate", "v1.1.0", "--message", "notes");
  expect(await previousVersion("", clone)).toEqual({ commit: "v1.1.0", name: "v1.1.0" });
  expect(await previousVersion("abc123", clone)).toEqual({ commit: "abc123", name: "abc123" });
});
