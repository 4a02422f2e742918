import type { Model } from "../../../../contract/models.ts";
import { IconButton } from "../../kit/button.tsx";
import { Combobox } from "../../kit/combobox.tsx";
import { FittingName } from "../../kit/long-name.tsx";
import { MOST_COMPARED } from "./compared-models.ts";

interface Props {
  readonly models: readonly Model[];
  readonly model: Model;
  readonly others: readonly Model[];
  readonly onChange: (others: readonly string[]) => void;
}

/** The models beside the first, which get the same messages. */
export function CompareChoice({ models, model, others, onChange }: Props) {
  const chosen = new Set([model.id, ...others.map(({ id }) => id)]);
  const options = models
    .filter(({ id, kind, unlisted }) => kind === "chat" && unlisted === undefined && !chosen.has(id))
    .map(({ id }) => ({ value: id, label: id }));
  const ids = others.map(({ id }) => id);
  return (
    <div className="space-y-2">
      {others.length > 0 && (
        <ul aria-label="Compared with" className="space-y-1">
          {ids.map((id) => (
            <li key={id} className="flex items-center justify-between gap-2 rounded-lg bg-sunken py-0.5 pl-2.5">
              <span className="min-w-0 font-mono text-[0.85rem]">
                <FittingName>{id}</FittingName>
              </span>
              <IconButton
                icon="close"
                label={`Compare no more with ${id}`}
                onClick={() => onChange(ids.filter((each) => each !== id))}
              />
            </li>
          ))}
        </ul>
      )}
      {chosen.size < MOST_COMPARED && options.length > 0 && (
        <Combobox
          label="Compare with"
          options={options}
          value=""
          placeholder="another model"
          onChange={(id) => id !== "" && onChange([...ids, id])}
          help={`The same message goes to each, up to ${MOST_COMPARED} at once; each is charged.`}
        />
      )}
    </div>
  );
}
