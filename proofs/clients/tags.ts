/** Markdown for docs/clients.md about how clients send tags with their requests (docs/api.md 2.12). */
export const TAGS = `## Tags of requests

A request may carry tags, by which its usage is grouped and requests are found ([api.md](api.md#212-tags-of-requests)): team, feature, customer, run. Every client that can add a header can
send them, in \`x-camino-tags\`, with commas between tags and a value percent-encoded where it has commas, percent signs or characters beyond ASCII. The header does not go to the vendor.

| Client | Where the header is set |
| --- | --- |
| Claude Code | \`export ANTHROPIC_CUSTOM_HEADERS="x-camino-tags: team=search"\` |
| Codex | \`http_headers = { "x-camino-tags" = "team=search" }\` among the provider's lines in \`config.toml\` |
| openai, @anthropic-ai/sdk (TypeScript) | \`defaultHeaders: { "x-camino-tags": "team=search" }\` for a client, \`{ headers: … }\` behind the request for one call |
| AI SDK | \`headers: { "x-camino-tags": "team=search" }\` of the provider, or of one call |
| openai-python, anthropic-python | \`default_headers={"x-camino-tags": "team=search"}\` for a client, \`extra_headers=…\` for one call |
| openai-go, anthropic-sdk-go | \`option.WithHeader("x-camino-tags", "team=search")\` for a client or a call |
| curl | \`-H "x-camino-tags: team=search,feature=summary"\` |

Where a client sets no header but takes \`metadata\`, a member whose name begins with \`camino.\` is a tag: \`{"metadata": {"camino.team": "search"}}\`. Metadata goes to the vendor as it came.
Where neither is possible, give the program its own key with the tag on it ([console.md](console.md#keys)).`;
