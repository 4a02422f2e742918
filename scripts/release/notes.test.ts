import { describe, expect, test } from "bun:test";
import { notesOf, requireNothingUnreleased } from "./notes.ts";

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

  test("are refused while changes wait that would be in the version and not in its notes", () => {
    const one =
      'a change under "## [Unreleased]" would be in 1.2.0 without being in its notes, the first "- Something newer."';
    expect(() => requireNothingUnreleased(CHANGELOG, "1.2.0")).toThrow(one);
    const two = CHANGELOG.replace("- Something newer.", "- Something newer.\n- And more.");
    expect(() => requireNothingUnreleased(two, "1.2.0")).toThrow('2 changes under "## [Unreleased]"');
    for (const empty of ["", "### Added\n"])
      requireNothingUnreleased(
        `# Changelog\n\n## [Unreleased]\n\n${empty}\n## [1.2.0] - 2026-12-01\n\n- A.\n`,
        "1.2.0",
      );
    requireNothingUnreleased("# Changelog\n\n## [1.2.0] - 2026-12-01\n\n- A.\n", "1.2.0");
  });
});
