import { dirname } from "node:path";
import type { Import } from "./import-graph.ts";
import { FOLDER_ORDER, isTestFile, roomOf } from "./rooms.ts";
import type { Violation } from "./violation.ts";

/**
 * No folder of `src` imports a folder that imports it, itself or by way of others, and ordered folders import only those before them
 * (docs/adr/0078). A folder and the folder in it are two folders. Tests may import what they like: nobody imports them.
 */
export function checkFolders(imports: readonly Import[]): Violation[] {
  const between = imports.filter(isBetweenFolders);
  return [...inCircles(between), ...againstOrder(between)];
}

/** Between rooms the table of rooms allows no circle. */
function isBetweenFolders({ from, to }: Import): boolean {
  return from.startsWith("src/") && roomOf(from) === roomOf(to) && !isTestFile(from) && dirname(from) !== dirname(to);
}

/** The imports from one folder into another. */
interface Edge {
  readonly folder: string;
  readonly target: string;
  readonly imports: Import[];
}

/** One complaint for each circle, at the direction that has the fewest imports: it is the likeliest to be the mistake. */
function inCircles(imports: readonly Import[]): Violation[] {
  const graph = graphOf(imports);
  const circles = new Map<string, Edge[]>();
  for (const edges of graph.values()) {
    for (const { folder, target } of edges.values()) {
      const way = shortestWay(graph, target, folder);
      if (way === null) continue;
      const circle = [...way, target];
      const steps = way
        .map((each, at) => graph.get(each)?.get(circle[at + 1] ?? ""))
        .filter((edge) => edge !== undefined);
      circles.set([...way].sort().join(" "), steps);
    }
  }
  return [...circles.values()].flatMap(complaintOf);
}

function complaintOf(circle: readonly Edge[]): Violation[] {
  const [weakest] = circle.toSorted(
    (one, other) => one.imports.length - other.imports.length || other.folder.length - one.folder.length,
  );
  const found = weakest?.imports[0];
  if (found === undefined) return [];
  const folders = circle.map(({ folder }) => folder).join(", ");
  const message = `imports ${found.to}, which closes a circle of folders (${folders}): move a file to where it belongs.`;
  return [{ path: found.from, line: null, message }];
}

type FolderGraph = ReadonlyMap<string, ReadonlyMap<string, Edge>>;

function graphOf(imports: readonly Import[]): FolderGraph {
  const graph = new Map<string, Map<string, Edge>>();
  for (const found of imports) {
    const folder = dirname(found.from);
    const target = dirname(found.to);
    const edges = graph.get(folder) ?? new Map<string, Edge>();
    graph.set(folder, edges);
    const edge = edges.get(target) ?? { folder, target, imports: [] };
    edges.set(target, edge);
    edge.imports.push(found);
  }
  return graph;
}

/** The folders on the shortest way; null where there is none. */
function shortestWay(graph: FolderGraph, start: string, end: string): string[] | null {
  const came_from = new Map<string, string | null>([[start, null]]);
  for (const folder of came_from.keys()) {
    if (folder === end) return wayTo(end, came_from);
    for (const next of graph.get(folder)?.keys() ?? []) if (!came_from.has(next)) came_from.set(next, folder);
  }
  return null;
}

function wayTo(end: string, came_from: ReadonlyMap<string, string | null>): string[] {
  const way: string[] = [];
  for (let at: string | null = end; at !== null; at = came_from.get(at) ?? null) way.unshift(at);
  return way;
}

function againstOrder(imports: readonly Import[]): Violation[] {
  return imports.flatMap(({ from, to }) => {
    const order = FOLDER_ORDER[roomOf(from)];
    if (order === undefined || roomOf(from) !== roomOf(to)) return [];
    const folder = folderOf(from);
    const target = folderOf(to);
    const rank = rankOf(order, folder);
    if (rank > rankOf(order, target) || (folder === target && rank !== -1)) return [];
    const message =
      rank === -1
        ? `is in a folder without a place in the order of ${roomOf(from)}: give it one in scripts/house/rooms.ts.`
        : `imports ${to}: in ${roomOf(from)}, ${folder} does not come after ${target} (scripts/house/rooms.ts).`;
    return [{ path: from, line: null, message }];
  });
}

function rankOf(order: readonly (readonly string[])[], folder: string): number {
  return order.findIndex((folders) => folders.includes(folder));
}

/** The folder of a room that a file is in. */
function folderOf(path: string): string {
  return path.split("/")[2] ?? "";
}
