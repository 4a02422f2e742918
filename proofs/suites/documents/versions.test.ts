import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { packageManifest } from "../../../scripts/pack.ts";

/** The version is said in one place, `package.json`; whatever else says it says the same. */

const ROOT = join(import.meta.dir, "../../..");
const manifest = await Bun.file(join(ROOT, "package.json")).json();
const { version } = manifest as { version: string };

const SCANS = ["*.md", "docs/**/*.md", "deploy/**/*.yaml"].map((glob) =>
  Array.fromAsync(new Bun.Glob(glob).scan({ cwd: ROOT })),
);
const FILES = (await Promise.all(SCANS)).flat().sort();

describe("the version", () => {
  test("has the form of semantic versions", () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/);
  });

  test("is the lock file's", async () => {
    const lock = await Bun.file(join(ROOT, "package-lock.json")).json();
    expect([lock.version, lock.packages[""].version]).toEqual([version, version]);
  });

  test("is that of the package and the image, wherever documents name their file", async () => {
    const named: string[] = [];
    for (const path of FILES) {
      if (path === "CHANGELOG.md") continue;
      const text = await Bun.file(join(ROOT, path)).text();
      named.push(...Array.from(text.matchAll(/camino[-:](\d+\.\d+\.\d+)/g), ([, each = ""]) => each));
    }
    expect(named.length).toBeGreaterThan(3);
    expect([...new Set(named)]).toEqual([version]);
  });
});

describe("the package's manifest", () => {
  test("is packed again by the next `npm pack`, where one was killed while it was in the project's place", () => {
    const { scripts } = packageManifest(manifest) as { scripts: Record<string, string> };
    const { prepack, postpack } = manifest.scripts as Record<string, string>;
    expect(scripts).toEqual({ prepack: prepack ?? "", postpack: postpack ?? "" });
    expect(scripts.prepack).toContain("pack.ts --before");
  });

  test("depends on the runtime of each platform, by packages that have no install script", async () => {
    const { dependencies, optionalDependencies } = packageManifest(manifest) as {
      dependencies?: object;
      optionalDependencies: Record<string, string>;
    };
    const lock = await Bun.file(join(ROOT, "package-lock.json")).json();
    expect(dependencies).toBeUndefined();
    expect(Object.keys(optionalDependencies)).toContain("@oven/bun-linux-x64");
    for (const [name, wanted] of Object.entries(optionalDependencies)) {
      const { version: locked, hasInstallScript } = lock.packages[`node_modules/${name}`];
      expect({ name, locked, hasInstallScript }).toEqual({ name, locked: wanted, hasInstallScript: undefined });
    }
  });
});

test("npm is told of every package with an install script that it need not run", async () => {
  const { packages } = await Bun.file(join(ROOT, "package-lock.json")).json();
  const with_script = Object.entries(packages as Record<string, { hasInstallScript?: boolean }>)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/.*node_modules\//, ""));
  expect(with_script.length).toBeGreaterThan(1);
  expect(manifest.allowScripts).toEqual(Object.fromEntries(with_script.map((name) => [name, false])));
});

test("every package that a gateway needs runs on the oldest Node.js that the package names", async () => {
  const { packages } = await Bun.file(join(ROOT, "package-lock.json")).json();
  const oldest = /^>=(\d+)$/.exec(manifest.engines.node)?.[1];
  const needed = Object.entries(packages as Record<string, { dev?: boolean; engines?: { node?: string } }>).filter(
    ([path, { dev }]) => path !== "" && dev !== true,
  );
  expect(needed.length).toBeGreaterThan(10);
  const strange = needed.filter(([, { engines }]) => !Bun.semver.satisfies(`${oldest}.19.0`, engines?.node ?? "*"));
  expect(strange.map(([path]) => path)).toEqual([]);
});
