import { describe, expect, test } from "bun:test";
import { billOfMaterials, strangeLicences } from "./bill-of-materials.ts";

const component = (name: string, licence: string) => ({
  "bom-ref": `${name}@1.0.0`,
  name,
  version: "1.0.0",
  purl: `pkg:npm/${name}@1.0.0`,
  properties: [{ name: "cdx:npm:package:development", value: "true" }],
  licenses: [{ license: { id: licence } }],
});

/** What `npm sbom` prints; its number and its time are others each time. */
function fromNpm(): string {
  return JSON.stringify({
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    metadata: {
      timestamp: new Date().toISOString(),
      component: { "bom-ref": "camino@1.0.0", type: "library", name: "folder" },
    },
    components: [component("pino", "MIT"), component("strange", "AGPL-3.0"), component("tool", "MIT")],
    dependencies: [
      { ref: "camino@1.0.0", dependsOn: ["pino@1.0.0", "tool@1.0.0"] },
      { ref: "pino@1.0.0", dependsOn: ["tool@1.0.0", "strange@1.0.0"] },
      { ref: "strange@1.0.0", dependsOn: [] },
      { ref: "tool@1.0.0", dependsOn: [] },
    ],
  });
}

const SHIPPED = ["strange", "pino"].map((name) => ({ name, version: "1.0.0" }));
const TIME = new Date("2026-11-23T00:00:00Z");

describe("the bill of materials", () => {
  test("names what is shipped, and nothing that only development needs", () => {
    const bill = JSON.parse(billOfMaterials([fromNpm()], SHIPPED, TIME));
    expect(bill.components.map(({ name }: { name: string }) => name)).toEqual(["pino", "strange"]);
    expect(bill.components[0]).toMatchObject({ purl: "pkg:npm/pino@1.0.0", properties: [] });
    expect(bill.dependencies).toEqual([
      { ref: "camino@1.0.0", dependsOn: ["pino@1.0.0", "strange@1.0.0"] },
      { ref: "pino@1.0.0", dependsOn: ["strange@1.0.0"] },
      { ref: "strange@1.0.0", dependsOn: [] },
    ]);
    expect(bill.metadata.component).toMatchObject({ type: "application", name: "camino" });
  });

  test("is the same file for the same packages and the same commit", () => {
    const bill = billOfMaterials([fromNpm()], SHIPPED, TIME);
    expect(billOfMaterials([fromNpm()], SHIPPED.toReversed(), TIME)).toBe(bill);
    const uuid = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(JSON.parse(bill)).toMatchObject({ serialNumber: expect.stringMatching(uuid) });
    expect(billOfMaterials([fromNpm()], SHIPPED.slice(1), TIME)).not.toContain(JSON.parse(bill).serialNumber);
  });

  test("is refused where npm does not list a shipped package in its version", () => {
    const other = [{ name: "pino", version: "2.0.0" }];
    expect(() => billOfMaterials([fromNpm()], other, TIME)).toThrow("pino@2.0.0 is shipped");
  });

  test("shows licences that nobody has agreed to", () => {
    const bill = billOfMaterials([fromNpm()], SHIPPED, TIME);
    expect(strangeLicences(bill, ["MIT"])).toEqual(["strange 1.0.0: AGPL-3.0"]);
    expect(strangeLicences(bill, ["MIT", "AGPL-3.0"])).toEqual([]);
  });
});
