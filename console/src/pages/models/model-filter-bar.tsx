import type { Model } from "../../../../contract/models.ts";
import { cx } from "../../kit/cx.ts";
import { FilterBar, FilterSelect, FilterText } from "../../kit/filter-bar.tsx";
import { FoldedFilters } from "../../kit/folded-filters.tsx";
import { formatCompact, formatMoney } from "../../kit/format.ts";
import { Icon } from "../../kit/icon.tsx";
import { optionsOf } from "../../kit/options.ts";
import { useUrlState } from "../../kit/url-state.ts";
import { STYLES } from "../playground/endpoints.ts";
import { askedCapabilities, CAPABILITIES, FILTER_NAMES, vendorsOf } from "./filter-models.ts";

const KINDS = optionsOf({
  chat: "Chat models",
  embedding: "Embedding models",
  speech: "Speech models",
  image: "Image models",
  rerank: "Rerank models",
  transcription: "Transcription models",
  moderation: "Moderation models",
  decision: "Decision models",
});
const ENDPOINTS = [
  ...Object.values(STYLES).map(({ endpoint, path }) => ({ value: endpoint, label: path })),
  { value: "images.edits", label: "/v1/images/edits" },
  { value: "completions", label: "/v1/completions" },
  { value: "audio.transcriptions", label: "/v1/audio/transcriptions" },
  { value: "audio.translations", label: "/v1/audio/translations" },
  { value: "moderations", label: "/v1/moderations" },
] satisfies { value: Model["endpoints"][number]; label: string }[];
const PRICES = ["0.25", "1", "3", "10"];
const CONTEXTS = [32_000, 128_000, 200_000, 1_000_000];

/** Search and filters of the catalogue; all of them in the address. */
export function ModelFilterBar({ models, currency }: { models: readonly Model[]; currency: string }) {
  const prices = PRICES.map((value) => ({
    value,
    label: `Input up to ${formatMoney(Number(value) * 1_000_000, currency)}`,
  }));
  const contexts = CONTEXTS.map((size) => ({ value: String(size), label: `Context from ${formatCompact(size)}` }));
  return (
    <FilterBar names={FILTER_NAMES}>
      <FilterText name="q" label="Search models" />
      <FoldedFilters>
        <FilterSelect name="kind" label="Kind" all="Every kind" options={KINDS} />
        <FilterSelect name="vendor" label="Vendor" all="Every vendor" options={vendorsOf(models)} />
        <FilterSelect name="price" label="Price" all="Any price" options={prices} />
        <FilterSelect name="context" label="Context" all="Any context" options={contexts} />
        <FilterSelect name="endpoint" label="Endpoint" all="Every endpoint" options={ENDPOINTS} />
        <CapabilityChoices />
      </FoldedFilters>
    </FilterBar>
  );
}

/** Filter buttons, one for each capability: a model must have all pressed capabilities. */
function CapabilityChoices() {
  const [{ can }, setSearch] = useUrlState("can");
  const asked = askedCapabilities(can);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset lays its children out in a way of its own
    <div role="group" aria-label="Capabilities" className="flex flex-wrap gap-1.5">
      {CAPABILITIES.map(({ id, label }) => {
        const pressed = asked.includes(id);
        const next = pressed ? asked.filter((each) => each !== id) : [...asked, id];
        return (
          <button
            key={id}
            type="button"
            aria-pressed={pressed}
            onClick={() => setSearch({ can: next.join() })}
            className={cx(
              "inline-flex min-h-9.5 items-center gap-1.5 rounded-lg border px-3 font-medium transition-colors",
              pressed
                ? "border-accent bg-accent-soft text-accent-ink"
                : "border-line bg-surface text-ink-soft hover:border-line-strong hover:text-ink",
            )}
          >
            {pressed && <Icon name="check" />}
            {label}
          </button>
        );
      })}
    </div>
  );
}
