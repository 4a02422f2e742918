import { Snippets } from "../../kit/code-block.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import type { Body } from "./chat/turns.ts";
import type { Json } from "./code/literals.ts";
import { requestSnippets } from "./code/snippets.ts";
import type { Style } from "./endpoints.ts";

const MOST_DATA = 80;

/** The request as code. Images are shortened, since they have megabytes that nobody reads. */
export function RequestCode({ style, body }: { style: Style; body: Body }) {
  const shown = shortened(body) as Body;
  const cut = JSON.stringify(shown) !== JSON.stringify(body);
  return (
    <div className="space-y-3">
      <p className="text-[0.88rem] text-ink-soft">
        With one of your <TextLink to="/keys">keys</TextLink> in CAMINO_API_KEY.
        {cut && " Images are cut short here."}
      </p>
      <Snippets label="Language" snippets={requestSnippets({ style, body: shown, origin: location.origin })} />
    </div>
  );
}

function shortened(value: Json | Body | undefined): Json | Body | undefined {
  if (typeof value === "string")
    return value.length > 2000 && !value.includes(" ") ? `${value.slice(0, MOST_DATA)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => shortened(item) as Json);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)])) as Body;
}
