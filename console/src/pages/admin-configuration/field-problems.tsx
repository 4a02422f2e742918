import { createContext, type ReactNode, useContext, useLayoutEffect, useMemo, useState } from "react";
import type { ElementProblem } from "../../../../contract/configuration.ts";
import type { ElementKind } from "../../../../contract/configuration-values.ts";
import { Notice } from "../../kit/states.tsx";
import { problemsAt, problemWords } from "./problem-words.ts";
import { textOf, type Value, withField } from "./value.ts";

interface Problems {
  /** What is wrong, by the path within the element: `price.input`. */
  readonly found: ReadonlyMap<string, ElementProblem>;
  /** The paths of fields that show their problems. */
  readonly shown: Set<string>;
}

const NONE: Problems = { found: new Map(), shown: new Set() };
const ProblemsOf = createContext<Problems>(NONE);
const PlaceOf = createContext("");

/** The fields of an element's form, each with what the gateway refused in it; above them what belongs to no field. */
export function FieldProblems({
  kind,
  id,
  problems,
  children,
}: {
  kind: ElementKind;
  id: string;
  problems: readonly ElementProblem[];
  children: ReactNode;
}) {
  const of = useMemo(() => ({ found: problemsAt(kind, id, problems), shown: new Set<string>() }), [kind, id, problems]);
  const [rest, setRest] = useState<readonly ElementProblem[]>([]);
  // Behind the fields' own rendering, which says what they show.
  useLayoutEffect(() => {
    setRest([...of.found].flatMap(([path, problem]) => (of.shown.has(path) ? [] : [problem])));
    if (of.found.size > 0)
      document.querySelector<HTMLElement>("main [aria-invalid=true], [role=dialog] [aria-invalid=true]")?.focus();
  }, [of]);
  return (
    <ProblemsOf.Provider value={of}>
      {rest.map(({ message }) => (
        <Notice key={message} tone="danger">
          {message}
        </Notice>
      ))}
      {children}
    </ProblemsOf.Provider>
  );
}

/** The fields of a part of an element: `timeouts`, `price[1]`. */
export function FieldsOf({ part, children }: { part: string; children: ReactNode }) {
  const place = useContext(PlaceOf);
  return <PlaceOf.Provider value={place === "" ? part : `${place}.${part}`}>{children}</PlaceOf.Provider>;
}

/** What is wrong with a field of the part, as a sentence. */
export function useProblem(): (name: string) => string | undefined {
  const { found, shown } = useContext(ProblemsOf);
  const place = useContext(PlaceOf);
  return (name) => {
    const path = place === "" ? name : `${place}.${name}`;
    const problem = found.get(path);
    if (problem === undefined) return undefined;
    shown.add(path);
    return problemWords(problem);
  };
}

interface Bound {
  readonly value: Value;
  /** The values in force, which an empty field shows. */
  readonly effective?: Value;
  /** Where the value lies in its element, for problems: `timeouts`. Default: the element itself. */
  readonly part?: string;
  readonly onChange: (next: Value) => void;
}

/** Ties fields to those of a value: `{...field("rpm", countOf)}`. `read` makes what is kept of what was typed; default: the text as it is. */
export function useFields({ value, effective, part, onChange }: Bound) {
  const problem = useProblem();
  return (name: string, read: (typed: string) => unknown = (typed) => typed) => ({
    value: textOf(value, name),
    ...(effective !== undefined && { placeholder: textOf(effective, name) }),
    error: problem(part === undefined ? name : `${part}.${name}`),
    onChange: (typed: string) => onChange(withField(value, name, read(typed))),
  });
}
