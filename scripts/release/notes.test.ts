import { describe, expect, test } from "bun:test";
import { notesOf } from "./notes.ts";

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Something newer.

## [1.2.0] - 2026-12-01

### Fixed

- A mistake.

## [1.1.0] - soon

- Something.

## [1.0.0] - 2026-11-23

Nothing.
`;

describe("the notes of a version", () => {
  test("are its section of the changelog, without what is before and after it", () => {
    expect(notesOf(CHANGELOG, "1.2.0")).toEqual({ date: "2026-12-01", text: "### Fixed\n\n- A mistake." });
  });

  test.each([
    ["9.9.9", "has no section"],
    ["1.1.0", "has no date"],
    ["1.0.0", "names no change"],
  ])("of %s are refused: the changelog %s", (version, reason) => {
    expect(() => notesOf(CHANGELOG, version)).toThrow(reason);
  });
});
