import type { UsageExploration } from "../../../../contract/usage.ts";
import { LongName } from "../../kit/long-name.tsx";
import { QuietLink } from "../../kit/row-link.tsx";
import { groupKind, partsOf, type ReportRow } from "./report.ts";

/** A group's name: a key, model or project as a link to its requests, a tag's value as one to the usage that it is made of. */
export function GroupCell({ row: { id, label, others }, of }: { row: ReportRow; of: UsageExploration }) {
  const kind = groupKind(of.by);
  const is_of_tag = kind === "tag" && id !== null && !others;
  const name = <LongName>{label}</LongName>;
  if (is_of_tag)
    return (
      <QuietLink to="/usage" search={(before) => ({ ...before, ...partsOf(id, of) })}>
        {name}
      </QuietLink>
    );
  if (others || !id || kind === null) return <span className="font-normal text-ink-soft">{label}</span>;
  return (
    <QuietLink to="/requests" search={{ [kind]: id }}>
      {name}
    </QuietLink>
  );
}
