import type { Import } from "./import-graph.ts";
import {
  isTestFile,
  MAY_ALSO_IMPORT,
  MAY_IMPORT,
  PACKAGES_ALLOWED,
  protocolOf,
  roomOf,
  SHARED_PROTOCOL,
  TESTS_MAY_ALSO_IMPORT,
} from "./rooms.ts";
import type { Violation } from "./violation.ts";

/** Every import that the table of rooms does not allow. Each pair of files is reported once. */
export function checkImports(imports: readonly Import[]): Violation[] {
  const messages = new Map<string, Violation>();
  for (const found of imports) {
    const message = objection(found);
    if (message !== null) messages.set(`${found.from} ${found.specifier}`, { path: found.from, line: null, message });
  }
  return [...messages.values()];
}

function objection({ from, to, specifier }: Import): string | null {
  if (!specifier.startsWith(".")) return packageObjection(from, specifier);
  if (isTestFile(to) && !isTestFile(from)) return `imports ${specifier}: only tests import tests.`;
  return roomObjection(from, to) ?? protocolObjection(from, to);
}

function packageObjection(from: string, specifier: string): string | null {
  const allowed = PACKAGES_ALLOWED[roomOf(from)];
  if (!allowed || isTestFile(from)) return null;
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (allowed.includes(name)) return null;
  return `imports the package ${name}: ${roomOf(from)} may import ${list(allowed, "no package")}.`;
}

function roomObjection(from: string, to: string): string | null {
  const room = roomOf(from);
  const target = roomOf(to);
  if (room === target) return null;
  const allowed = MAY_IMPORT[room];
  if (!allowed) return `is in a room that the table does not know (${room}): give it a rank in scripts/house/rooms.ts.`;
  if (allowed.includes(target)) return null;
  if (MAY_ALSO_IMPORT[room]?.files.test(to)) return null;
  if (isTestFile(from) && TESTS_MAY_ALSO_IMPORT.includes(target)) return null;
  return `imports ${to}: ${room} may import ${list(allowed, "only itself")}, not ${target}.`;
}

/** Protocols do not import each other; code that several need is in protocols/shared, which imports no protocol. */
function protocolObjection(from: string, to: string): string | null {
  const protocol = protocolOf(from);
  const target = protocolOf(to);
  if (protocol === null || roomOf(to) !== "protocols" || target === protocol) return null;
  if (target === SHARED_PROTOCOL || isTestFile(from)) return null;
  return `imports ${to}: a protocol imports its own folder and protocols/${SHARED_PROTOCOL} only.`;
}

function list(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.join(", ");
}
