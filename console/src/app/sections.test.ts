import { expect, test } from "bun:test";
import { ADMIN_SECTIONS, sectionAt } from "./sections.ts";

test.each([
  ["/admin/prices", undefined, "Model setup", "Prices"],
  ["/admin/configuration", undefined, "Model setup", "Models"],
  ["/admin/configuration", "vendor", "Vendors", "Connections"],
  ["/admin/configuration/limits/default", undefined, "Limits", "Defaults"],
  ["/admin/configuration/model/openai%2Fgpt", undefined, "Model setup", "Models"],
  ["/admin/configuration/vendor/new", undefined, "Vendors", "Connections"],
  ["/admin/configuration/export", undefined, "Model setup", "camino.yaml"],
  ["/admin/vendors/openai", undefined, "Vendors", "Vendors"],
  ["/admin/accounts/acct_1", undefined, "Accounts", "Accounts"],
] as const)("%s with the kind %s belongs to %s, %s", (path, kind, section, page) => {
  const found = sectionAt(path, kind);
  expect([found?.section.label, found?.page.label]).toEqual([section, page]);
});

test("members' pages belong to no section, and every page of a section to it", () => {
  expect(sectionAt("/models", undefined)).toBe(null);
  for (const section of ADMIN_SECTIONS)
    for (const { to, kind } of section.pages) expect(sectionAt(to, kind)?.section).toBe(section);
});
