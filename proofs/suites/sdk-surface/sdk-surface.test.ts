import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answered } from "./answers.ts";
import { casesFor, linesOf, readGolden, textOf } from "./golden.ts";
import { judge } from "./outcome.ts";
import { SILENT_IN_ANSWERS, SILENT_IN_TRANSLATION, SILENT_ON_RELAY } from "./silences.ts";
import { ANSWERS, type AnswerSurface, REQUESTS, type RequestSurface } from "./surfaces.ts";

/**
 * The alarm for growth: every member, item, event and value that the official SDKs of the lock file declare is really sent
 * through the gateway's code, as a relay and as a translation to every other protocol. None may vanish unnamed, none may
 * make the gateway fail, and what becomes of each is a file under version control. A new version of an SDK fails here with
 * the list of what is new.
 */

const SDKS = join(import.meta.dir, "../../node_modules");

function versionOf(sdk: string): string {
  const { version } = JSON.parse(readFileSync(join(SDKS, sdk, "package.json"), "utf8")) as { version: string };
  return version;
}

/** Nothing where the file is true; otherwise what is new, gone and different, and what to do. */
function differences(surface: RequestSurface | AnswerSurface, text: string): string {
  const now = new Set(text.trimEnd().split("\n"));
  const known = new Set(readGolden(surface).trimEnd().split("\n"));
  const added = [...now].filter((line) => !known.has(line)).map((line) => `+ ${line}`);
  const gone = [...known].filter((line) => !now.has(line)).map((line) => `- ${line}`);
  if (added.length + gone.length === 0) return "";
  return [
    `${surface.sdk} ${versionOf(surface.sdk)} or what the gateway does with it differs from proofs/suites/sdk-surface/golden/${surface.name}.txt:`,
    ...[...added, ...gone].sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1)),
    "For each line that is new: is it right (docs/rulings.md 10, 11, 75, 190)? A member that costs something needs a row in a charge",
    "table, one that changes the answer is read, relayed, named in x-camino-ignored or refused by name. Then write the files:",
    "bin/camino-bun proofs/suites/sdk-surface/write-golden.ts",
  ].join("\n");
}

describe.each([...REQUESTS, ...ANSWERS].map((surface) => [surface.name, surface] as const))("%s", (_name, surface) => {
  const lines = linesOf(surface);

  test("no declared member vanishes unnamed", () => {
    const vanished = lines.filter(({ outcomes }) => outcomes.includes("VANISHES")).map(({ label }) => label);
    expect(vanished).toEqual([]);
  });

  test("what becomes of each declared member is known", () => {
    expect(lines.length).toBeGreaterThan(50);
    expect(differences(surface, textOf(surface, lines))).toBe("");
  });
});

/** Members that end like an id and name nothing that a vendor keeps for one of its customers (docs/rulings.md 149). */
const HARMLESS_IDS = [
  // Of the conversation itself, and of the client's own browser and users.
  ...["approval_request_id", "call_id", "caller_id", "download_id", "tab_id", "tool_call_id", "tool_id", "tool_use_id"],
  "user_id",
  // Sources that an earlier answer told, which are not read again.
  ...["container_id", "file_id"],
  // The vendor's products for everybody, with the client's own authorization.
  ...["connector_id", "skill_id"],
  // A member of `background_options`, which change the price and are left out (docs/rulings.md 144).
  "continuation_id",
  // A question about the vendor's cache, whose use the usage tells anyway.
  "previous_message_id",
  // Headers of the SDK, which mean nothing in a body.
  ...["user_profile_id", "workspace_id"],
].sort();

test("a declared member that ends like an id is refused on relay, or known as harmless", () => {
  const relayed = REQUESTS.flatMap((surface) => {
    const way = { ...surface, vendor: surface.client.protocol, is_shared: false };
    const ids = casesFor(surface).filter(({ member }) => /(_|^)ids?$|Ids?$/.test(member) && member !== "id");
    return ids.filter((each) => judge(each, way).outcome === "relayed").map(({ member }) => member);
  });
  expect([...new Set(relayed)].sort()).toEqual(HARMLESS_IDS);
});

test.each(ANSWERS.map((surface) => [surface.name, surface] as const))(
  "no declared part of %s makes a translation fail",
  (_name, surface) => {
    const vendor = surface.client.protocol;
    const others = REQUESTS.filter(({ client, name }) => client.protocol !== vendor && !name.endsWith("beta"));
    for (const { client, request } of others)
      for (const { given } of casesFor(surface)) answered(given, { client, vendor, request, opening: surface.opening });
    expect(others).toHaveLength(2);
  },
);

test("every reason for a silence is needed", () => {
  const silent = [...REQUESTS, ...ANSWERS].map((surface) =>
    readGolden(surface)
      .split("\n")
      .filter((line) => /\bsilent\b/.test(line)),
  );
  const labels = silent.flat().map((line) => line.slice(0, line.lastIndexOf(": ")));
  const silences = [...SILENT_IN_ANSWERS, ...SILENT_IN_TRANSLATION, ...SILENT_ON_RELAY];
  const unneeded = silences.filter(({ what }) => !labels.some((label) => what.test(label)));
  expect(unneeded.map(({ what }) => what.source)).toEqual([]);
});
