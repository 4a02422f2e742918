import { useApi } from "../../api/use-api.ts";
import { Combobox } from "../../kit/combobox.tsx";

/** The model that an alias stands for. */
export function AliasForm({ target, onChange }: { target: string; onChange: (target: string) => void }) {
  const models = useApi("GET /models", { query: { kind: "all" } });
  const options = (models.data?.data ?? []).map(({ id, display_name }) => ({
    value: id,
    label: id,
    note: display_name,
  }));
  return (
    <Combobox label="Model" free options={options} value={target} onChange={onChange} placeholder="A model's id" />
  );
}
