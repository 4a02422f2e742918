import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askForVulnerabilities, requireNothingKnown } from "./vulnerabilities.ts";

/** npm itself asks a registry on this machine about a project of two packages. */

let folder: string;
let registry: ReturnType<typeof Bun.serve>;
let advisories: Record<string, object[]> = {};
let refuses = false;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-audit-"));
  registry = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/advisories/bulk"))
        return refuses ? new Response("", { status: 405 }) : Response.json(advisories);
      const name = pathname.slice(1);
      const dist = { tarball: `${registry.url}${name}.tgz`, integrity: "sha512-AA==" };
      return Response.json({
        name,
        "dist-tags": { latest: "1.0.0" },
        versions: { "1.0.0": { name, version: "1.0.0", dist } },
      });
    },
  });
  const project = {
    name: "p",
    version: "1.0.0",
    dependencies: { inside: "1.0.0" },
    devDependencies: { tool: "1.0.0" },
  };
  const packages = {
    "": project,
    "node_modules/inside": { version: "1.0.0" },
    "node_modules/tool": { version: "1.0.0", dev: true },
  };
  await Bun.write(join(folder, "package.json"), JSON.stringify(project));
  const lock = { name: "p", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
  await Bun.write(join(folder, "package-lock.json"), JSON.stringify(lock));
});

afterAll(async () => {
  await registry.stop(true);
  await rm(folder, { recursive: true, force: true });
});

function ask() {
  const options = [`--registry=${registry.url}`, `--cache=${join(folder, "cache")}`, "--package-lock-only"];
  return askForVulnerabilities(folder, new Set(["inside"]), options);
}

function advisory(id: number, title: string): object {
  const numbers = { id, cwe: [], cvss: { score: 0, vectorString: null } };
  return { ...numbers, url: `https://example.com/${id}`, title, severity: "high", vulnerable_versions: "<2.0.0" };
}

describe("known vulnerabilities", () => {
  test("are none where the registry names none", async () => {
    advisories = {};
    expect(await ask()).toEqual({ asked: true, shipped: [], others: [] });
  });

  test("of what is shipped are told apart from those of tools", async () => {
    advisories = { inside: [advisory(1, "It leaks.")], tool: [advisory(2, "It is slow.")] };
    const shipped = ["inside (high): It leaks. https://example.com/1"];
    expect(await ask()).toEqual({ asked: true, shipped, others: ["tool"] });
  });

  test("are unknown where the registry does not answer: that is no good news", async () => {
    refuses = true;
    expect(await ask()).toEqual({ asked: false, reason: expect.stringContaining("405") });
  });
});

describe("a release", () => {
  test("is refused where something is known of what is shipped, whatever a person says", async () => {
    [advisories, refuses] = [{ inside: [advisory(1, "It leaks.")] }, false];
    const verdict = await ask();
    for (const without_audit of [false, true])
      expect(() => requireNothingKnown(verdict, 1, without_audit)).toThrow("inside (high): It leaks.");
  });

  test("is made where something is known of tools alone, and says which", async () => {
    [advisories, refuses] = [{ tool: [advisory(2, "It is slow.")] }, false];
    const { line, for_notes } = requireNothingKnown(await ask(), 1, false);
    expect(line).toBe("no vulnerabilities are known in what is shipped; in tools for development alone: tool");
    expect(for_notes).toBe("Known vulnerabilities: none in what is shipped (packages: 1), by npm's advisories.");
  });

  test("is refused where the registry does not answer, and says what can be done", async () => {
    refuses = true;
    const verdict = await ask();
    expect(() => requireNothingKnown(verdict, 1, false)).toThrow(/could not be asked .*405.*--without-audit/);
  });

  test("that a person wants nevertheless says in its notes that nobody was asked, and names no registry", async () => {
    refuses = true;
    const { line, for_notes } = requireNothingKnown(await ask(), 30, true);
    expect(line).toStartWith("NOT CHECKED: ");
    expect(for_notes).toStartWith("Known vulnerabilities: **not checked**.");
    expect(for_notes).toContain("(packages: 30)");
    expect(for_notes).not.toContain("127.0.0.1");
  });
});
