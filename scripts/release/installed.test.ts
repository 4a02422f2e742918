import { expect, test } from "bun:test";
import { join } from "node:path";
import { listInstalled } from "./installed.ts";

test("npm lists what is installed here, for the bill of materials of a release", async () => {
  const { bomFormat, components } = JSON.parse(await listInstalled(join(import.meta.dir, "../..")));
  expect(bomFormat).toBe("CycloneDX");
  const names = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["bun", "typebox", "react"]));
}, 60_000);
