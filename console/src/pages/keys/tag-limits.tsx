import { readTagLimit, tagLimitText } from "../../../../contract/tag-limit-text.ts";
import type { ShownTagLimit, TagLimit } from "../../../../contract/tag-limits.ts";
import { ApiError } from "../../api/api-error.ts";
import { CALM_MS, useApi } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { formatCount } from "../../kit/format.ts";
import { Input, Textarea } from "../../kit/input.tsx";
import { TextLink } from "../../kit/row-link.tsx";

interface TagDraft {
  readonly tag_limits: string;
  readonly end_user_tag: string;
}

interface TagLimitsOfHolder {
  readonly tag_limits?: readonly ShownTagLimit[];
  readonly end_user_tag?: string;
}

export function tagDraftOf({ tag_limits = [], end_user_tag = "" }: TagLimitsOfHolder): TagDraft {
  return { tag_limits: tag_limits.map(tagLimitText).join("\n"), end_user_tag };
}

/** A draft as the API takes it; a line that is no limit is left to the API, which refuses it. */
export function tagFieldsOf({ tag_limits, end_user_tag }: TagDraft): {
  tag_limits: TagLimit[] | null;
  end_user_tag: string | null;
} {
  const lines = tag_limits.split("\n").filter((line) => line.trim() !== "");
  const limits = lines.map((line): TagLimit => {
    const limit = readTagLimit(line);
    return "problem" in limit ? { tag: line.trim() } : limit;
  });
  return { tag_limits: limits.length === 0 ? null : limits, end_user_tag: end_user_tag.trim() || null };
}

interface Props {
  readonly draft: TagDraft;
  readonly onChange: (changes: Partial<TagDraft>) => void;
  readonly error: unknown;
}

/** Limits by tag, one a line as the command line has them, and the tag of end users. */
export function TagLimitFields({ draft, onChange, error }: Props) {
  const refused = (field: string) =>
    error instanceof ApiError && error.param?.startsWith(field) ? error.message : null;
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <Textarea
        label="Limits by tag"
        optional
        mono
        rows={3}
        spellCheck={false}
        placeholder="customer=5/day,rpm=60"
        help="One per line, for each value of the tag: a budget, rpm, tpm, concurrent; required refuses requests without it."
        value={draft.tag_limits}
        error={refused("tag_limits")}
        onChange={(typed) => onChange({ tag_limits: typed })}
      />
      <Input
        label="End user's tag"
        optional
        placeholder="customer"
        help="The end user that a request names is this tag's value, where the request and its key have none."
        value={draft.end_user_tag}
        error={refused("end_user_tag")}
        onChange={(typed) => onChange({ end_user_tag: typed })}
      />
    </div>
  );
}

/** The limits by tag that concern an account, with the ways to their values; nothing where there are none. */
export function TagLimitsNote({ account }: { account: string }) {
  const { data } = useApi("GET /accounts/{account}/tag-limits", { path: { account } }, { refresh_ms: CALM_MS });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Card title="Limits by tag" description="What each value of a tag can use, such as each of your customers.">
      <ul className="space-y-1">
        {data.data.map(({ holder, project, value_count, ...limit }) => (
          <li key={`${holder} ${limit.tag}`} className="flex flex-wrap justify-between gap-x-4">
            <TextLink to="/tags/$tag" params={{ tag: limit.tag }} search={{ of: holder, account }}>
              <span className="font-mono text-[0.85rem] break-all">{tagLimitText(limit)}</span>
            </TextLink>
            <span className="text-ink-soft">
              {formatCount(value_count)} {value_count === 1 ? "value" : "values"}
              {holder !== "account" && `, ${project ?? "gateway"}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
