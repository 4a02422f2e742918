import { useState } from "react";
import type { ElementChange, NamedChanges } from "../../../../contract/configuration.ts";
import { messageOf } from "../../api/api-error.ts";
import { Button } from "../../kit/button.tsx";
import { DialogActions } from "../../kit/dialog.tsx";
import { LongName } from "../../kit/long-name.tsx";
import { Scrollable } from "../../kit/scrollable.tsx";
import { Notice } from "../../kit/states.tsx";
import { ACTIONS } from "./element-words.ts";
import { TryElement } from "./try-element.tsx";
import type { ElementChanging } from "./use-element-change.ts";
import { leafWords, leavesOf } from "./value.ts";

/** The preview of a change, leaf by leaf, with the button that makes the change. */
export function ChangePreview({ changing, back }: { changing: ElementChanging; back: string }) {
  const { previewed, wanted, apply, forget } = changing;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (previewed === undefined || wanted === null) return null;
  const { problems, warnings } = previewed;
  const { verb, about, danger = false } = ACTIONS[wanted.action];
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await apply(previewed);
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  return (
    <div className="space-y-4">
      {about !== "" && <p className="text-ink-soft">{about}</p>}
      {problems.map(({ message }) => (
        <Notice key={message} tone="danger">
          {message}
        </Notice>
      ))}
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <Differences change={previewed} />
      <Effect change={previewed} />
      {wanted.action === "put" && wanted.value !== undefined && problems.length === 0 && (
        <TryElement kind={previewed.kind} id={previewed.id} value={wanted.value} />
      )}
      {error !== null && <Notice tone="danger">{messageOf(error)}</Notice>}
      <DialogActions>
        <Button onClick={forget}>{back}</Button>
        <Button
          kind={danger ? "danger" : "primary"}
          busy={busy}
          deliberate
          disabled={problems.length > 0}
          onClick={() => void confirm()}
        >
          {verb}
        </Button>
      </DialogActions>
    </div>
  );
}

const CELL = "px-3 py-1.5 align-top break-words";

function Differences({ change: { differences, problems } }: { change: ElementChange }) {
  if (differences.length === 0) {
    return problems.length > 0 ? null : <p className="text-ink-soft">The current configuration stays in effect.</p>;
  }
  return (
    <Scrollable label="What changes" className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full text-left text-[0.9rem]">
        <caption className="sr-only">What changes</caption>
        <thead className="text-[0.83rem] text-ink-soft">
          <tr>
            {["Field", "Now", "Then"].map((head) => (
              <th key={head} scope="col" className={`${CELL} font-medium`}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {differences.flatMap(leavesOf).map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row" className={`${CELL} font-mono text-[0.83rem] font-normal`}>
                <LongName>{path === "" ? "target" : path}</LongName>
              </th>
              <td className={`${CELL} text-ink-soft`}>
                <LongName>{leafWords(before)}</LongName>
              </td>
              <td className={`${CELL} font-medium`}>
                <LongName>{leafWords(after)}</LongName>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

const MOST_NAMED = 8;

/** The effect of a change on other elements: a vendor may bring models. */
function Effect({ change: { effect, kind, id } }: { change: ElementChange }) {
  const lines = [...linesOf("Models", effect.models), ...linesOf("Vendors", effect.vendors)];
  const elsewhere = lines.filter(({ names }) => kind === "vendor" || names.some((name) => name !== id));
  if (elsewhere.length === 0) return null;
  return (
    <ul className="space-y-1 text-[0.92rem]">
      {elsewhere.map(({ what, names }) => (
        <li key={what}>
          <span className="text-ink-soft">{what}: </span>
          {names.slice(0, MOST_NAMED).join(", ")}
          {names.length > MOST_NAMED && ` and ${names.length - MOST_NAMED} more`}
        </li>
      ))}
    </ul>
  );
}

function linesOf(what: string, { added, removed, changed }: NamedChanges): { what: string; names: string[] }[] {
  const lists: [string, string[]][] = [
    [`${what} added`, added],
    [`${what} removed`, removed],
    [`${what} changed`, changed.map(({ id }) => id)],
  ];
  return lists.flatMap(([name, names]) => (names.length === 0 ? [] : [{ what: name, names }]));
}
