import type { ElementProblem } from "../../../../contract/configuration.ts";
import type { ElementKind } from "../../../../contract/configuration-values.ts";

const SECTIONS: Readonly<Record<ElementKind, string>> = {
  model: "models",
  vendor: "vendors",
  alias: "aliases",
  limits: "limits",
};

/** Problems by their paths within an element. A path outside of it stays as it is. */
export function problemsAt(
  kind: ElementKind,
  id: string,
  problems: readonly ElementProblem[],
): ReadonlyMap<string, ElementProblem> {
  const element = kind === "limits" ? SECTIONS.limits : `${SECTIONS[kind]}.${id}`;
  return new Map(
    problems.map((problem) => {
      const { path } = problem;
      return [path.startsWith(`${element}.`) ? path.slice(element.length + 1) : path, problem];
    }),
  );
}

/** A problem at its field, which needs no path and has the value before one's eyes. */
export function problemWords({ found, allowed }: Pick<ElementProblem, "found" | "allowed">): string {
  return found === "nothing" ? `Enter ${allowed}.` : `Allowed: ${allowed}.`;
}
