/** A version's notes, out of the changelog, whose form is that of Keep a Changelog. */
export interface Notes {
  /** The day of the release, `YYYY-MM-DD`. */
  readonly date: string;
  /** Markdown, without the section's own heading. */
  readonly text: string;
}

/**
 * Throws where something waits under `## [Unreleased]`: a release is made of everything that is committed, so that its notes would be silent about a change that it has.
 */
export function requireNothingUnreleased(changelog: string, version: string): void {
  const section = changelog.split(/^(?=## )/m).find((text) => text.startsWith("## [Unreleased]"));
  const changes = section?.match(/^[-*] .*$/gm) ?? [];
  if (changes.length === 0) return;
  throw new Error(
    `CHANGELOG.md: ${changes.length === 1 ? "a change" : `${changes.length} changes`} under "## [Unreleased]" would be in ${version} without being in its notes, ` +
      `the first "${changes[0]}": move what is there to "## [${version}]"`,
  );
}

/** Throws where the version has no section with a date, or one without a single line of what has changed. */
export function notesOf(changelog: string, version: string): Notes {
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## [${version}]`));
  if (section === undefined) {
    throw new Error(
      `CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD": rename "## [Unreleased]", and begin a new one above it`,
    );
  }
  const [heading = "", ...lines] = section.split("\n");
  const date = /^## \[[^\]]+\] - (\d{4}-\d{2}-\d{2})\s*$/.exec(heading)?.[1];
  if (date === undefined || Number.isNaN(Date.parse(date))) {
    throw new Error(`CHANGELOG.md: "${heading}" has no date; write "## [${version}] - YYYY-MM-DD"`);
  }
  const text = lines.join("\n").trim();
  if (!/^\s*[-*] /m.test(text)) throw new Error(`CHANGELOG.md: the section of ${version} names no change`);
  return { date, text };
}
