import { Combobox } from "../../kit/combobox.tsx";
import { useChip } from "../../kit/folded-filters.tsx";
import { useUrlState } from "../../kit/url-state.ts";
import { useModels } from "./use-models.ts";

/** A filter by one of the catalogue's models. `width`: a class for its width where there is room. */
export function ModelFilter({ width }: { width: `w-${number}` }) {
  const [{ model = "" }, setSearch] = useUrlState("model");
  const { options } = useModels();
  useChip("model", model);
  return (
    <Combobox
      label="Model"
      hide_label
      placeholder="All models"
      options={[{ value: "", label: "All models" }, ...options]}
      value={model}
      onChange={(chosen) => setSearch({ model: chosen })}
      className={`${width} max-sm:w-full`}
    />
  );
}
