/**
 * A vendor that tells its own prices: it stands before another one and adds to its answers what vendors say of costs and of whose
 * servers they use, each in its own names.
 */

/** Members of a usage. */
export const USAGE_COSTS: Readonly<Record<string, unknown>> = {
  ...{ cost: 0.95, cost_details: { upstream_inference_cost: 0.9 }, is_byok: false },
  ...{ cost_in_usd_ticks: 37_756_000, estimated_cost: 0.0001 },
};
/** Members of an answer. */
export const ANSWER_COSTS: Readonly<Record<string, unknown>> = {
  ...{ provider: "Secret Servers", billing: { payer: "developer" }, openrouter_metadata: { endpoints: ["Secret"] } },
};

export interface PricedVendor {
  readonly url: string;
  stop(): Promise<void>;
}

export function startPricedVendor(before: string): PricedVendor {
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const answer = await fetch(`${before}${pathname}${search}`, {
        method: request.method,
        headers: withoutHop(request.headers),
        body: await request.text(),
        signal: request.signal,
      });
      const type = answer.headers.get("content-type") ?? "";
      const told =
        /json|event-stream$/.test(type) && !type.includes("amazon") ? answer.body?.pipeThrough(telling()) : answer.body;
      return new Response(told ?? null, { status: answer.status, headers: { "content-type": type } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

function withoutHop(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["host", "content-length", "connection", "accept-encoding"]) kept.delete(name);
  return kept;
}

/** Adds the members to a whole answer, or to each event of a stream, as a piece of text that ends at a line's end or at the answer's. */
function telling(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  return new TransformStream({
    transform(bytes, controller) {
      rest += decoder.decode(bytes, { stream: true });
      const end = rest.lastIndexOf("\n") + 1;
      if (end > 0) controller.enqueue(Buffer.from(toldOf(rest.slice(0, end))));
      rest = rest.slice(end);
    },
    flush(controller) {
      controller.enqueue(Buffer.from(toldOf(rest)));
    },
  });
}

function toldOf(text: string): string {
  const [in_usage, in_answer] = [USAGE_COSTS, ANSWER_COSTS].map((members) => JSON.stringify(members).slice(1, -1));
  return text.replaceAll('"usage":{', `"usage":{${in_usage},`).replaceAll('"model":', `${in_answer},"model":`);
}
