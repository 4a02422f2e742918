import type { ModelDetail, PriceVersion } from "../../../../contract/models.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card } from "../../kit/card.tsx";
import { type Column, DataTable } from "../../kit/data-table.tsx";
import { formatCount, formatDay, formatMoney } from "../../kit/format.ts";
import { Money, None } from "../../kit/values.tsx";
import { pricesOutput } from "./kinds.ts";

interface PriceRow {
  readonly key: string;
  readonly version: PriceVersion;
  /** The tier's threshold of input tokens; null: the usual prices. */
  readonly above: number | null;
  readonly prices: Pick<
    PriceVersion,
    "input_micro_per_mtok" | "output_micro_per_mtok" | "cache_read_micro_per_mtok" | "cache_write_micro_per_mtok"
  >;
}

/** Every version of the price with its tiers; the version in effect is marked. */
const DESCRIPTIONS: Readonly<Partial<Record<ModelDetail["kind"], string>>> = {
  decision: "Per million tokens. Decisions charge their input only; a refusal is charged like an answer.",
  embedding: "Per million tokens. Embeddings charge their input only.",
  speech: "Per million characters that are sent, or per million tokens.",
  image: "Per image, or per million tokens.",
  rerank: "Per thousand searches, or per million tokens of input.",
  transcription: "Per minute of sound, or per million tokens.",
  moderation: "Per million tokens. Moderations charge their input only.",
};

export function ModelPrices({ model }: { model: ModelDetail }) {
  const rows = model.prices.toReversed().flatMap((version): PriceRow[] => [
    { key: version.version, version, above: null, prices: version },
    ...version.tiers.map((tier) => ({
      key: `${version.version} ${tier.above_input_tokens}`,
      version,
      above: tier.above_input_tokens,
      prices: tier,
    })),
  ]);
  const description =
    DESCRIPTIONS[model.kind] ?? "Per million tokens. A request is charged at the price when it arrives.";
  return (
    <Card title="Prices" description={description} flush>
      <DataTable
        caption="Prices"
        columns={columns(model)}
        rows={rows}
        file={{ name: "prices" }}
        rowKey={({ key }) => key}
      />
    </Card>
  );
}

function columns({ currency, kind, prices }: ModelDetail): Column<PriceRow>[] {
  const amount = (key: string, header: string, field: keyof PriceRow["prices"]): Column<PriceRow> => ({
    key,
    header,
    numeric: true,
    cell: ({ prices: row }) => <Money focusable micro={row[field]} currency={currency} />,
  });
  const unit = (
    name: "input_characters" | "input_minutes" | "images" | "searches",
    header: string,
  ): Column<PriceRow>[] => {
    if (!prices.some(({ units_micro }) => units_micro?.[name] !== undefined)) return [];
    const cell = ({ version: { units_micro, variants } }: PriceRow) => {
      const micro = units_micro?.[name];
      if (micro === undefined) return <None />;
      const others = name === "images" ? (variants?.images ?? []) : [];
      return (
        <span className="flex flex-wrap items-center justify-end gap-2">
          {others.length > 0 && <Badge hint={othersInWords(others, currency)}>by size and quality</Badge>}
          <Money focusable micro={micro} currency={currency} />
        </span>
      );
    };
    return [{ key: name, header, numeric: true, cell }];
  };
  return [
    { key: "when", header: "Valid", heading: true, cell: (row) => <When row={row} only={prices.length === 1} /> },
    { key: "above", header: "Requests", cell: ({ above, version }) => <Tier above={above} version={version} /> },
    amount("input", "Input", "input_micro_per_mtok"),
    pricesOutput(kind)
      ? amount("output", "Output", "output_micro_per_mtok")
      : { key: "output", header: "Output", numeric: true, cell: () => <None /> },
    amount("read", "Cached input", "cache_read_micro_per_mtok"),
    amount("write", "Cache write", "cache_write_micro_per_mtok"),
    ...unit("input_characters", "Characters"),
    ...unit("input_minutes", "Minute"),
    ...unit("images", "Image"),
    ...unit("searches", "Searches"),
  ];
}

type ImagePrices = NonNullable<NonNullable<PriceVersion["variants"]>["images"]>;

/** The prices of other sizes and qualities than the usual. */
function othersInWords(others: ImagePrices, currency: string): string {
  return others
    .map(
      ({ variant, units_micro }) =>
        `${variant?.replace("image=", "")} ${formatMoney(units_micro?.images ?? 0, currency)}`,
    )
    .join(", ");
}

function When({ row: { version, above }, only }: { row: PriceRow; only: boolean }) {
  if (above !== null) return <span className="text-ink-soft">the same time</span>;
  const day = (at: string) => formatDay(Date.parse(at));
  const words =
    version.from === null
      ? version.until === null
        ? "always"
        : `until ${day(version.until)}`
      : version.until === null
        ? `from ${day(version.from)}`
        : `${day(version.from)} to ${day(version.until)}`;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {words}
      {version.effective && !only && <Badge tone="good">now</Badge>}
    </span>
  );
}

function Tier({ above, version }: { above: number | null; version: PriceVersion }) {
  if (above !== null) return <>above {formatCount(above)} input tokens</>;
  const first = version.tiers[0];
  return <>{first === undefined ? "all" : `up to ${formatCount(first.above_input_tokens)} input tokens`}</>;
}
